import { Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { TokenRequestInfo } from '../schemas/token-request.ts'

const Account = Type.Object({ account: Type.String() })

/** An account was registered. Published by api-gateway, once a new account. */
export const accountAdded = defineEvent('accountAdded', Account)

/** An account was deleted with all that was stored of it. Published by api-gateway, once. */
export const accountDeleted = defineEvent('accountDeleted', Account)

/** The first sync of all mailboxes finished. Published by sync-worker, once an account and registration. */
export const accountInitialized = defineEvent(
  'accountInitialized',
  Type.Object({ initialized: Type.Literal(true) }),
)

/** The server refused the credentials. Published by sync-worker, once a run of equal failures, and again when syncing is switched off. */
export const authenticationError = defineEvent(
  'authenticationError',
  Type.Object({
    response: Type.String(),
    serverResponseCode: Type.Optional(Type.String()),
    /** What the token endpoint was asked and said, where it was that which refused. */
    tokenRequest: Type.Optional(TokenRequestInfo),
  }),
)

/** A login succeeded after an authenticationError, or the first one of a new account did. Published by sync-worker. */
export const authenticationSuccess = defineEvent(
  'authenticationSuccess',
  Type.Object({ user: Type.String() }),
)

/** The server could not be reached, or refused for another reason than the credentials. Published by sync-worker, once a run of equal failures. */
export const connectError = defineEvent(
  'connectError',
  Type.Object({ response: Type.String(), serverResponseCode: Type.Optional(Type.String()) }),
)
