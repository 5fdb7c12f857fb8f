import { Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { TokenRequestInfo } from '../schemas/token-request.ts'

const Account = Type.Object({ account: Type.String() })

/** An account was registered. Published by api-gateway, once per account. */
export const accountAdded = defineEvent('accountAdded', Account)

/** An account was deleted with all its data. Published by api-gateway, once per account. */
export const accountDeleted = defineEvent('accountDeleted', Account)

/** The first sync of all mailboxes finished. Published by sync-worker, once per registration. */
export const accountInitialized = defineEvent(
  'accountInitialized',
  Type.Object({ initialized: Type.Literal(true) }),
)

/**
 * The server rejected the credentials. Published by sync-worker, once per series of equal failures,
 * and when syncing is switched off.
 */
export const authenticationError = defineEvent(
  'authenticationError',
  Type.Object({
    response: Type.String(),
    serverResponseCode: Type.Optional(Type.String()),
    /** Request to the token endpoint, if that rejected the credentials. */
    tokenRequest: Type.Optional(TokenRequestInfo),
  }),
)

/** The first login succeeded, or one after an authenticationError. Published by sync-worker. */
export const authenticationSuccess = defineEvent(
  'authenticationSuccess',
  Type.Object({ user: Type.String() }),
)

/**
 * The server is unreachable, or the login failed for a reason other than the credentials. Published
 * by sync-worker, once per series of equal failures.
 */
export const connectError = defineEvent(
  'connectError',
  Type.Object({ response: Type.String(), serverResponseCode: Type.Optional(Type.String()) }),
)
