import type { IncomingMessage } from 'node:http'
import { defined } from '@posthorn/contracts'
import { type LinkKey, type LinkKeys, readLink, type SignedLink } from '@posthorn/links'
import express, { type Request, type RequestHandler } from 'express'
import { addressOf } from '../access/client-address.ts'
import type { LinkVisitor } from '../automated/automated.ts'

export interface SignedParams<A extends SignedLink['act']> {
  link: Extract<SignedLink, { act: A }>
  data: string
  sig: string
}

/** Signed parameters with the key that signed them. */
export interface VerifiedParams<A extends SignedLink['act']> extends SignedParams<A> {
  key: LinkKey
}

/**
 * Verifies the signed parameters of a request. Undefined if the signature is invalid or the link
 * is of another kind. Rejects while the signing keys are unavailable.
 */
export async function readSigned<A extends SignedLink['act']>(
  keys: LinkKeys,
  act: A,
  { data, sig }: { data?: unknown; sig?: unknown },
): Promise<VerifiedParams<A> | undefined> {
  if (typeof data !== 'string' || typeof sig !== 'string') return undefined
  const verified = readLink(await keys.candidates(sig), act, { data, sig })
  return verified && { ...verified, data, sig }
}

/** Maximum body of a public page: a signed link and a few form fields. */
const maxBytes = 16 * 1024

/** Reads a small body of any content type. */
export const smallBody: RequestHandler = express.raw({ type: () => true, limit: maxBytes })

/** Fields of a posted HTML form. `get` returns the first value of a repeated field. */
export function formFields(request: Request): URLSearchParams {
  return new URLSearchParams(bodyText(request))
}

/** Query parameters, not parsed into arrays or objects. */
export function queryOf({ originalUrl }: Request): URLSearchParams {
  return new URLSearchParams(originalUrl.split('?').slice(1).join('?'))
}

/**
 * True for a one-click unsubscribe request. RFC 8058 §3.2: the body is
 * `List-Unsubscribe=One-Click`, URL-encoded or multipart. A missing content type is accepted.
 */
export function isOneClick(request: Request): boolean {
  const text = bodyText(request)
  if (/^multipart\/form-data/i.test(request.get('content-type') ?? ''))
    return /name="?List-Unsubscribe"?[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\nOne-Click\r?\n/i.test(text)
  return new URLSearchParams(text.trim()).get('List-Unsubscribe')?.toLowerCase() === 'one-click'
}

function bodyText(request: Request): string {
  const body: unknown = request.body
  return Buffer.isBuffer(body) ? body.toString('utf8') : ''
}

const maxUserAgentLength = 1024

/** Reads the client address behind the trusted proxies and the truncated User-Agent. */
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

/** Event fields of a visitor; empty values are absent. */
export function visitorFields({ remoteAddress, userAgent }: LinkVisitor) {
  return defined({
    remoteAddress: remoteAddress || undefined,
    userAgent: userAgent || undefined,
  })
}

/** True for a GET by a person. HEAD requests and prefetches of browsers are no visits. */
export function isVisit(request: Request): boolean {
  const purpose = `${request.get('sec-purpose') ?? ''} ${request.get('purpose') ?? ''}`
  return request.method === 'GET' && !/prefetch|prerender|preview/i.test(purpose)
}
