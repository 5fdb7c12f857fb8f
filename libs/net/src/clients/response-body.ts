import type { IncomingMessage } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { createUnzip } from 'node:zlib'
import { HttpError } from '../call.ts'

export interface ResponseBodyOptions {
  /** HTTP response as received, with a body that is not decoded. */
  incoming: IncomingMessage
  /** Decoded bytes of the HTTP response body. */
  decoded: Readable
  /**
   * Maximum number of bytes of the HTTP response body. Applies to the received and to the decoded
   * bytes.
   */
  maxBytes: number
  idleTimeoutMs: number
  /** Maximum time in milliseconds that the HTTP server may need for the whole response body. */
  timeoutMs: number
  /**
   * Converts an error of the HTTP response stream to the error that the reader of the body
   * receives.
   */
  toError: (error: Error) => Error
}

/**
 * Body of a streamed HTTP response. Limits the number of bytes, the time for which the server sends
 * nothing, and the total time of the server. Reads from the connection only as fast as the body is
 * read. Delays of the reader do not count as time of the server.
 */
export class ResponseBody extends Readable {
  readonly #options: ResponseBodyOptions
  #encodedBytes = 0
  #decodedBytes = 0
  #timer: NodeJS.Timeout | undefined
  /**
   * Time in milliseconds that the HTTP server has needed so far. `#waitingSince` is the start of
   * the current wait for the server.
   */
  #serverMs = 0
  #waitingSince: number | undefined

  constructor(options: ResponseBodyOptions) {
    super()
    this.#options = options
    // Without this listener, an error of the HTTP response before the first read of its body would
    // end the process. The reader of the body receives the error later.
    this.on('error', () => undefined)
    const { incoming, decoded } = options
    // Received bytes of an HTTP response body are counted in addition to the decoded bytes. Members
    // of a gzip file may be empty, so that the received bytes need not produce any decoded bytes.
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

/** Value for the header `Accept-Encoding`: the content codings that `decodeBody` can decode. */
export const acceptedCodings = 'gzip, deflate'

/**
 * Names of content codings of HTTP responses that can be decoded (RFC 9110 §8.4.1). `deflate` is
 * the zlib format of RFC 1950.
 */
const unzippable = new Set(['gzip', 'x-gzip', 'deflate'])

/**
 * Returns the decoded body of an HTTP response. Only a few buffers are decoded before they are
 * read, so that a small compressed body cannot fill the memory. The reader must limit the size.
 *
 * @throws Error for any other content coding, and for several content codings
 */
export function decodeBody(incoming: IncomingMessage): Readable {
  const coding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return incoming
  if (!unzippable.has(coding)) throw new Error('the content coding of the response is unsupported')
  // If the HTTP response or its decoder fails, `pipeline` destroys the other stream with the same
  // error.
  return pipeline(incoming, createUnzip(), () => undefined)
}
