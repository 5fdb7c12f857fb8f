import { AppError } from '@posthorn/errors'
import type { Request, RequestHandler, Response } from 'express'
import type { AuditEntry } from '../audit/audit-log.ts'
import type { Identity } from '../identity/create-identity.ts'
import { requireOwner, requireRecentFactor } from '../identity/rights.ts'
import { routeOf } from '../identity/sessions.ts'
import type { SignedIn } from '../identity/signed-in.ts'

/** HTTP request to an endpoint of admin-ui, with its response. */
export interface PageExchange {
  readonly request: Request
  readonly response: Response
}

/**
 * Creates the handler of an admin-ui endpoint. The result of `run` is sent as JSON, an undefined
 * result as 204. If `run` has sent a redirect, nothing more is sent. Errors because of a limit get
 * the header Retry-After.
 */
export function endpoint(run: (exchange: PageExchange) => Promise<unknown>): RequestHandler {
  return async (request, response) => {
    try {
      const result = await run({ request, response })
      if (response.headersSent) return
      if (result === undefined) response.status(204).end()
      else response.json(result)
    } catch (error) {
      const ttl = error instanceof AppError ? error.extras.ttl : undefined
      if (ttl !== undefined) response.setHeader('Retry-After', ttl)
      throw error
    }
  }
}

type SignedInRun = (exchange: PageExchange, signedIn: SignedIn) => Promise<unknown>

/** Creates the handler of an admin-ui endpoint for signed-in people. */
export function signedInEndpoint(
  { sessions }: Pick<Identity, 'sessions'>,
  run: SignedInRun,
): RequestHandler {
  return endpoint(async (exchange) => {
    const signedIn = await sessions.authenticate(exchange.request)
    return await run(exchange, signedIn)
  })
}

/** Creates the handler of an admin-ui endpoint for owners. Changes need a recent factor. */
export function ownerEndpoint(
  identity: Pick<Identity, 'sessions'>,
  run: SignedInRun,
): RequestHandler {
  return signedInEndpoint(identity, async (exchange, signedIn) => {
    requireOwner(signedIn)
    if (exchange.request.method !== 'GET') requireRecentFactor(signedIn)
    return await run(exchange, signedIn)
  })
}

/** Describes an action of a signed-in person for the audit log. */
export function entryOf(
  { request }: PageExchange,
  signedIn: SignedIn,
  action: Pick<AuditEntry, 'operation' | 'keys' | 'reason'>,
): AuditEntry {
  return { signedIn, address: signedIn.address, ...routeOf(request), ...action }
}

/**
 * Form of ids in the paths of admin-ui. Ids of passkeys have up to 1,023 bytes in base64url
 * (WebAuthn §4).
 */
const idShape = /^[\w-]{1,1364}$/

/**
 * Returns the id in the path of a request to admin-ui.
 *
 * @throws AppError `not-found` for a value that is no id, such as a NUL byte
 */
export function pathId({ params }: Request): string {
  const id: unknown = params['id']
  if (typeof id === 'string' && idShape.test(id)) return id
  throw new AppError('not-found', 'Not Found')
}
