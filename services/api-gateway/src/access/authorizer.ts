import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RightsInput } from '@posthorn/contracts/admin/input-rights'
import type { Operation } from '@posthorn/contracts/define'
import { accountSource } from '@posthorn/contracts/token-rights'
import {
  addressOf,
  type CountedRequest,
  countRequests,
  isExpired,
  type TokenLog,
} from '@posthorn/access'
import { type Db, batchStatements } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type AdminSessionCache, authorizeSession } from './admin-sessions.ts'
import { type AddressLimiter, limitRate } from './rate-limits.ts'
import { authorize } from './authorize.ts'
import {
  type AuditedRequest,
  auditRequest,
  denialOf,
  type LastUseTracker,
  type TokenCache,
} from './tokens.ts'
import {
  badToken,
  type Caller,
  isCrossOrigin,
  type IsKnownHost,
  isSessionCredential,
  noToken,
  readBearerToken,
} from './authenticate.ts'

export interface AuthorizerOptions {
  db: Db
  tokens: TokenCache
  sessions: AdminSessionCache
  lastUse: LastUseTracker
  audit: TokenLog
  /** If false, API requests without an access token are accepted. */
  requireToken: boolean
  trustedProxies: readonly string[]
  addressLimiter: AddressLimiter
  isKnownHost: IsKnownHost
}

/** Parts of an API request that identify its caller. */
export interface IncomingRequest extends Pick<IncomingMessage, 'headers' | 'socket'> {
  /** Path of the API request as the client sent it, without the query. */
  path: string
  params: Record<string, unknown>
  query: Record<string, unknown>
}

/**
 * Authenticates the caller of an API request and authorizes the request.
 *
 * @throws AppError `unauthorized`, `forbidden` or `rate-limited`
 */
export type Authorizer = (
  operation: Operation,
  request: IncomingRequest,
  response: ServerResponse,
) => Promise<AuthorizedRequest>

/** Result of a successful authentication and authorization of an API request. */
export interface AuthorizedRequest {
  caller: Caller
  /**
   * Reports the result of the API request, which is then written to the log of its access token,
   * because an operation may reject the token. Only the first call counts.
   */
  settled: (error?: unknown) => void
  /**
   * Checks that a person at the administration pages may send the query and the body of the API
   * request. Absent for access tokens.
   *
   * @throws AppError `forbidden`
   */
  assertInput?: (input: RightsInput) => void
}

export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const { db, tokens, lastUse, audit } = options
  const count = batchStatements((counted: CountedRequest[]) => countRequests(db, counted))
  return async (operation, incoming, response) => {
    const { headers } = incoming
    const address = addressOf(incoming, options.trustedProxies)
    options.addressLimiter.count(address, response)
    const value = readBearerToken(headers, incoming.query['access_token'])
    if (value === undefined) {
      // Rejects the request of a web page of another origin without an access token, unless the
      // CORS middleware has set `Access-Control-Allow-Origin` for this origin.
      if (isCrossOrigin(headers) && !response.hasHeader('Access-Control-Allow-Origin'))
        throw noToken('no token, from another origin')
      return authorizeAnonymous(operation, { address, host: headers.host }, options)
    }
    // Skips the log of access tokens for requests of people, because admin-ui records these
    // requests in its audit log.
    if (isSessionCredential(value)) {
      const request = { operation, credential: value, headers, address }
      const authorized = await authorizeSession(options.sessions, request)
      return { ...authorized, settled: () => undefined }
    }
    const token = await tokens.find(value)
    if (!token) throw badToken('unknown token')
    const account = accountOf(operation, incoming)
    const request: AuditedRequest = { operation, token, account, address, path: incoming.path }
    if (isExpired(token)) {
      auditRequest(audit, request, 'Token expired')
      throw badToken('expired token')
    }
    try {
      authorize(operation, token, { account, address, referrer: headers.referer })
      await limitRate(count, token, response)
    } catch (error) {
      const denied = isRateLimited(error) ? error.message : denialOf(error)
      if (denied !== null) auditRequest(audit, request, denied)
      throw error
    }
    lastUse.record(token.id, address)
    let isSettled = false
    const settled = (error?: unknown) => {
      if (!isSettled) auditRequest(audit, request, denialOf(error))
      isSettled = true
    }
    return { caller: { token, address }, settled }
  }
}

/**
 * True for the error of an access token's rate limit. Errors of the operation with the same kind
 * `rate-limited` report limits of a mail provider.
 */
function isRateLimited(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === 'rate-limited'
}

/**
 * Accepts a request without an access token if no token is required and the host name of the
 * request is known. Operator endpoints always need a token.
 */
async function authorizeAnonymous(
  operation: Operation,
  { address, host }: { address: string; host: string | undefined },
  { requireToken, isKnownHost }: Pick<AuthorizerOptions, 'requireToken' | 'isKnownHost'>,
): Promise<AuthorizedRequest> {
  if (requireToken || operation.scope === '*') throw noToken('no token')
  if (!(await isKnownHost(host))) throw noToken('no token, for an unknown host')
  return { caller: { token: null, address }, settled: () => undefined }
}

function accountOf(operation: Operation, { query, params }: IncomingRequest): string | undefined {
  const { account } = accountSource(operation) === 'query' ? query : params
  return typeof account === 'string' ? account : undefined
}
