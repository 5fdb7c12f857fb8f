import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type CachedContent, type Coding, hashOf } from '@posthorn/http'

/** Compresses 5 MB of JavaScript in 0.2 s, on a thread of libuv. */
const brotliQuality = 6
const brotli = (content: Buffer) =>
  promisify(brotliCompress)(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality },
  })
const compress: Record<Coding, (content: Buffer) => Promise<Buffer>> = {
  br: brotli,
  gzip: promisify(gzip),
}

/** Content in memory whose compressed variants are made when a client first asks for them. */
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
