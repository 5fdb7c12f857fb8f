import { Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { Text } from '../schemas/primitives.ts'
import { TokenRequestInfo } from '../schemas/token-request.ts'

const failure = {
  response: Text('Reply of the mail server or provider with the error, or the text of the error.'),
  serverResponseCode: Type.Optional(
    Text(
      'Response code of the mail server, such as `AUTHENTICATIONFAILED`. Without a response code: code of the error, such as `ECONNREFUSED`. Absent if unknown.',
    ),
  ),
}
const Account = Type.Object({ account: Text('Id of the account.') })

/** An account was registered. Published by api-gateway, once per account. */
export const accountAdded = defineEvent('accountAdded', Account)

/** An account was deleted with all its data. Published by api-gateway, once per account. */
export const accountDeleted = defineEvent('accountDeleted', Account)

/**
 * The first sync of all mailboxes of an account has finished. Published by sync-worker, once per
 * registration of the account.
 */
export const accountInitialized = defineEvent(
  'accountInitialized',
  Type.Object({
    initialized: Type.Literal(true, {
      description: 'Always true: all mailboxes of the account were synced for the first time.',
    }),
  }),
)

/**
 * The mail server rejected the credentials of an account. Published by sync-worker for the first of
 * several equal failures, and when the account's syncing is switched off.
 */
export const authenticationError = defineEvent(
  'authenticationError',
  Type.Object({
    ...failure,
    tokenRequest: Type.Optional(TokenRequestInfo),
  }),
)

/**
 * A login of an account succeeded for the first time, or for the first time after an
 * authenticationError. Published by sync-worker.
 */
export const authenticationSuccess = defineEvent(
  'authenticationSuccess',
  Type.Object({ user: Text('Login name of the account at the mail server or provider.') }),
)

/**
 * The mail server of an account is unreachable, or a login failed for a reason other than the
 * credentials. Published by sync-worker for the first of several equal failures.
 */
export const connectError = defineEvent('connectError', Type.Object(failure))
