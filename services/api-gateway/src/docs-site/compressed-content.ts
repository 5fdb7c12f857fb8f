import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type CachedContent, type Coding, hashOf } from '@posthorn/http'

/**
 * Quality of Brotli for documentation files: 5 MB of JavaScript take 0.2 s on a thread of libuv.
 */
const brotliQuality = 6
const brotli = (content: Buffer) =>
  promisify(brotliCompress)(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality },
  })
const compress: Record<Coding, (content: Buffer) => Promise<Buffer>> = {
  br: brotli,
  gzip: promisify(gzip),
}

/**
 * Creates a documentation file in memory, which is compressed when a client first requests it in a
 * content coding.
 */
export function compressedContent(content: Buffer): CachedContent {
  const variants = new Map<Coding, Promise<Buffer>>()
  return {
    hash: hashOf(content),
    isCompressed: true,
    maxAgeSeconds: 0,
    read(coding) {
      if (coding === undefined) return content
      const variant = variants.get(coding) ?? compress[coding](content)
      variants.set(coding, variant)
      return variant
    },
  }
}
