import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'

/**
 * Content codings of the compressed variants of a static file. Brotli comes first, because its
 * variants are smaller.
 */
const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

/** Content of a static file that browsers may cache, with its compressed variants. */
export interface CachedContent {
  hash: string
  /** True if the static file has compressed variants. */
  isCompressed: boolean
  /**
   * Seconds for which a browser uses a static file from its cache. With 0, the browser revalidates
   * the file before each use.
   */
  maxAgeSeconds: number
  read: (coding: Coding | undefined) => Buffer | Promise<Buffer>
}

/** Computes the hash of a static file, which becomes the value of the header `ETag`. */
export function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

/**
 * Sends a static file in the content coding that the client accepts, or the status 304 if the
 * client has the file already. Requires that the caller has set the content type.
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
