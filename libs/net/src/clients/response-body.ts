import type { IncomingMessage } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { createUnzip } from 'node:zlib'
import { HttpError } from '../call.ts'

export interface ResponseBodyOptions {
  /** HTTP response as received, before decoding. */
  incoming: IncomingMessage
  /** Decoded bytes of the HTTP response. */
  decoded: Readable
  /** Maximum bytes of the HTTP response, both as received and decoded. */
  maxBytes: number
  idleTimeoutMs: number
  /** Maximum time that the HTTP server may take for the whole response body. */
  timeoutMs: number
  /** Converts the failure of the response stream to the error of the call. */
  toError: (error: Error) => Error
}

/**
 * Body of a streamed HTTP response: limits its bytes, the silence of the server and the total time
 * of the server. Reads from the connection only as fast as its reader, whose delays do not count as
 * time of the server.
 */
export class ResponseBody extends Readable {
  readonly #options: ResponseBodyOptions
  #encodedBytes = 0
  #decodedBytes = 0
  #timer: NodeJS.Timeout | undefined
  /** Time that the HTTP server has taken, and start of the current wait for the server. */
  #serverMs = 0
  #waitingSince: number | undefined

  constructor(options: ResponseBodyOptions) {
    super()
    this.#options = options
    // A failure of the response before the first read must not end the process. Later readers
    // receive it.
    this.on('error', () => undefined)
    const { incoming, decoded } = options
    // Members of a gzip file may be empty: bytes in do not imply bytes out, so received bytes are
    // counted.
    if (decoded !== incoming) incoming.on('data', (chunk: Buffer) => this.#countEncoded(chunk))
    decoded
      .on('data', (chunk: Buffer) => this.#onDecoded(chunk))
      .once('end', () => this.#end())
      .on('error', (error) => this.destroy(options.toError(error)))
      .once('close', () => this.#assertEnded())
    decoded.pause()
  }

  override _read(): void {
    this.#wait()
    this.#options.decoded.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stopWaiting()
    this.#options.decoded.destroy()
    this.#options.incoming.destroy()
    done(error)
  }

  #onDecoded(chunk: Buffer): void {
    this.#decodedBytes += chunk.length
    if (this.#decodedBytes > this.#options.maxBytes) return this.#failTooLarge()
    if (this.push(chunk)) return this.#wait()
    this.#stopWaiting()
    this.#options.decoded.pause()
  }

  #countEncoded(chunk: Buffer): void {
    this.#encodedBytes += chunk.length
    if (this.#encodedBytes > this.#options.maxBytes) this.#failTooLarge()
  }

  #failTooLarge(): void {
    this.destroy(new HttpError('too-large', 'the response is larger than its limit'))
  }

  #end(): void {
    this.#stopWaiting()
    this.push(null)
  }

  #assertEnded(): void {
    if (this.#options.decoded.readableEnded || this.destroyed) return
    this.destroy(new HttpError('reset', 'the connection was closed'))
  }

  #wait(): void {
    this.#stopWaiting()
    const { idleTimeoutMs, timeoutMs } = this.#options
    const leftMs = timeoutMs - this.#serverMs
    const reason = leftMs < idleTimeoutMs ? 'the server sends too slowly' : 'the server is silent'
    this.#waitingSince = performance.now()
    this.#timer = setTimeout(
      () => this.destroy(new HttpError('response-timeout', reason)),
      Math.min(idleTimeoutMs, leftMs),
    )
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer)
    if (this.#waitingSince !== undefined) this.#serverMs += performance.now() - this.#waitingSince
    this.#waitingSince = undefined
  }
}

/** Content codings of responses that `decodeBody` reads, for the header `Accept-Encoding`. */
export const acceptedCodings = 'gzip, deflate'

/**
 * Content codings of responses that are decoded (RFC 9110 §8.4.1); `deflate` is the zlib format of
 * RFC 1950.
 */
const unzippable = new Set(['gzip', 'x-gzip', 'deflate'])

/**
 * Returns the decoded body of an HTTP response. Bytes are decoded as they are read, a few buffers
 * ahead, so that a compressed bomb takes no memory. The reader limits the size.
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
