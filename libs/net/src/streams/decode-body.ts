import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createUnzip } from 'node:zlib'

/** Content codings that `decodeBody` reads, for the header `Accept-Encoding`. */
export const acceptedCodings = 'gzip, deflate'

/** RFC 9110 §8.4.1; `deflate` is the zlib format of RFC 1950. */
const unzippable = new Set(['gzip', 'x-gzip', 'deflate'])

/**
 * Returns the decoded body of a response. Bytes are decoded as they are read, a few buffers ahead,
 * so that a compressed bomb takes no memory. The reader limits the size.
 *
 * @throws Error for another content coding, or for several
 */
export function decodeBody(incoming: IncomingMessage): Readable {
  const coding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return incoming
  if (!unzippable.has(coding)) throw new Error('the content coding of the response is unsupported')
  // `pipeline` destroys each of the two streams with the error of the other stream.
  return pipeline(incoming, createUnzip(), () => undefined)
}
