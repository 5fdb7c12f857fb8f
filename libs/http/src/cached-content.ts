import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'

/** Content codings of stored variants. Brotli comes first, because its variants are smaller. */
const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

/** Content of a response that browsers may store, and its variants. */
export interface CachedContent {
  hash: string
  /** True if compressed variants exist. */
  isCompressed: boolean
  /** Seconds for which a browser uses the content without asking. 0: it asks each time. */
  maxAgeSeconds: number
  read: (coding: Coding | undefined) => Buffer | Promise<Buffer>
}

/** Hash for the header `ETag`. */
export function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

/**
 * Sends the variant of the content that the client accepts, or 304 if the client has that variant.
 * The caller has set the type.
 */
export async function sendCached(
  request: Request,
  response: Response,
  { hash, isCompressed, maxAgeSeconds, read }: CachedContent,
): Promise<void> {
  const coding = isCompressed
    ? codings.find((each) => request.acceptsEncodings(each) === each)
    : undefined
  const age = maxAgeSeconds > 0 ? `max-age=${maxAgeSeconds}, immutable` : 'no-cache'
  response.setHeader('Cache-Control', `public, ${age}`)
  response.setHeader('ETag', coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`)
  if (isCompressed) response.vary('Accept-Encoding')
  if (request.fresh) return void response.status(304).end()
  if (coding !== undefined) response.setHeader('Content-Encoding', coding)
  response.send(await read(coding))
}
