import type { IncomingMessage } from 'node:http'
import { addressOf } from '@posthorn/access'
import { defined } from '@posthorn/contracts/defined'
import type { LinkKey, LinkKeys, SignedLink } from '@posthorn/links'
import { readBody } from '@posthorn/http'
import type { Request } from 'express'
import type { LinkVisitor } from '../automated/automated.ts'

export interface SignedParams<A extends SignedLink['act']> {
  link: Extract<SignedLink, { act: A }>
  data: string
  sig: string
}

/**
 * Signed parameters of a link, and the key that signed the parameters. The key is undefined if an
 * imported secret signed the parameters.
 */
export interface VerifiedParams<A extends SignedLink['act']> extends SignedParams<A> {
  key?: LinkKey
}

/**
 * Verifies the signed link parameters of a request. Undefined if the signature is invalid or the
 * parameters belong to another kind of link. Rejects while the signing keys are unavailable.
 */
export async function readSigned<A extends SignedLink['act']>(
  keys: LinkKeys,
  act: A,
  { data, sig }: { data?: unknown; sig?: unknown },
): Promise<VerifiedParams<A> | undefined> {
  if (typeof data !== 'string' || typeof sig !== 'string') return undefined
  const verified = await keys.read(act, { data, sig })
  return verified && { ...verified, data, sig }
}

/**
 * Maximum size of a request body for a public page. Such a body contains a signed link and a few
 * form fields.
 */
const maxBytes = 16 * 1024

/**
 * Reads the small body of a request to a public page, of any content type. Callers check the
 * signature in the query first.
 *
 * @throws BodyError
 */
export async function readSmallBody(request: IncomingMessage, timeoutMs: number): Promise<string> {
  return (await readBody(request, { maxBytes, timeoutMs })).toString('utf8')
}

/**
 * Target URL of an HTML form on a public page. The URL contains the signed parameters of the page's
 * link, which authorize the request.
 */
export function signedTarget(
  path: string,
  { data, sig }: Pick<SignedParams<SignedLink['act']>, 'data' | 'sig'>,
): string {
  return `${path}?${new URLSearchParams({ data, sig }).toString()}`
}

/** Query parameters of a request to a public route, not parsed into arrays or objects. */
export function queryOf({ originalUrl }: Request): URLSearchParams {
  return new URLSearchParams(originalUrl.split('?').slice(1).join('?'))
}

const maxUserAgentLength = 1024

/**
 * Reads the visitor of a tracking or unsubscribe link from the request: client address behind the
 * trusted proxies, and truncated User-Agent.
 */
export function resolveVisitor(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: readonly string[],
): LinkVisitor {
  const { 'user-agent': userAgent = '' } = request.headers
  return {
    remoteAddress: addressOf(request, trustedProxies),
    userAgent: userAgent.slice(0, maxUserAgentLength).toWellFormed(),
  }
}

/** Fields of an event that describe the visitor of a link; empty values are absent. */
export function visitorFields({ remoteAddress, userAgent }: LinkVisitor) {
  return defined({
    remoteAddress: remoteAddress || undefined,
    userAgent: userAgent || undefined,
  })
}

/**
 * True for a GET of a link by a person. HEAD requests and browser prefetches do not count as
 * visits.
 */
export function isVisit(request: Request): boolean {
  const purpose = `${request.get('sec-purpose') ?? ''} ${request.get('purpose') ?? ''}`
  return request.method === 'GET' && !/prefetch|prerender|preview/i.test(purpose)
}
