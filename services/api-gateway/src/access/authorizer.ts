import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '@posthorn/contracts'
import { isExpired, type CountedRequest, countRequests, type TokenLog } from '@posthorn/access'
import { type Db, batchStatements } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { authorize } from './authorize.ts'
import { type AuditedRequest, denialOf, auditRequest } from './audit.ts'
import { badToken } from './bad-token.ts'
import { clientAddress } from './client-address.ts'
import { readCredential } from './credential.ts'
import { isCrossOrigin } from './cross-origin.ts'
import type { LastUseTracker } from './last-use.ts'
import { limitRate } from './rate-limit.ts'
import type { TokenCache } from './token-cache.ts'
import type { Caller } from './caller.ts'

export interface AuthorizerOptions {
  db: Db
  tokens: TokenCache
  lastUse: LastUseTracker
  audit: TokenLog
  /** False: requests without a token are taken. */
  requireToken: boolean
  trustedProxies: readonly string[]
}

/** What a request tells of whoever sends it. */
export interface IncomingRequest extends Pick<IncomingMessage, 'headers' | 'socket'> {
  /** As sent, without the query. */
  path: string
  params: Record<string, unknown>
  query: Record<string, unknown>
}

/** Finds out who asks, and whether they may. */
export type Authorizer = (
  operation: Operation,
  visitor: IncomingRequest,
  response: ServerResponse,
) => Promise<AuthorizedRequest>

/** Somebody who was let in. */
export interface AuthorizedRequest {
  caller: Caller
  /** To be told what became of the request, for an operation may refuse a token by itself. The first word counts. */
  settled: (error?: unknown) => void
}

export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const { db, tokens, lastUse, audit } = options
  const count = batchStatements((counted: CountedRequest[]) => countRequests(db, counted))
  return async (operation, visitor, response) => {
    const { headers } = visitor
    const address = addressOf(visitor, options.trustedProxies)
    const credential = readCredential(headers, visitor.query['access_token'])
    if (credential === undefined) {
      // Pages that are let in by name were given that header at the door.
      if (isCrossOrigin(headers) && !response.hasHeader('Access-Control-Allow-Origin'))
        throw new AppError('unauthorized', 'Unauthorized')
      return authorizeAnonymous(operation, address, options)
    }
    const token = await tokens.find(credential)
    if (!token) throw badToken()
    const account = accountOf(operation, visitor)
    const request: AuditedRequest = { operation, token, account, address, path: visitor.path }
    if (isExpired(token)) {
      auditRequest(audit, request, 'Token expired')
      throw badToken()
    }
    try {
      authorize(operation, token, { account, address, referrer: headers.referer })
      await limitRate(count, token, response)
    } catch (error) {
      const denied = denialOf(error)
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

/** Where no token is needed, that is so for the API: what operators do is never open to all. */
function authorizeAnonymous(
  operation: Operation,
  address: string,
  { requireToken }: Pick<AuthorizerOptions, 'requireToken'>,
): AuthorizedRequest {
  if (requireToken || operation.scope === '*') throw new AppError('unauthorized', 'Unauthorized')
  return { caller: { token: null, address }, settled: () => undefined }
}

function addressOf(
  { headers, socket }: IncomingRequest,
  trustedProxies: readonly string[],
): string {
  const forwarded = [headers['x-forwarded-for']].flat().join(',')
  return clientAddress(socket.remoteAddress ?? '', forwarded, trustedProxies)
}

function accountOf({ boundBy }: Operation, { query, params }: IncomingRequest): string | undefined {
  const { account } = boundBy === 'query' ? query : params
  return typeof account === 'string' ? account : undefined
}
