import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@posthorn/errors'

/**
 * Number of chunks of a request body that may have any size. If a body has more chunks, their
 * average size must be at least `minChunkBytes`, because each chunk costs CPU time.
 */
const freeChunks = 10_000
const minChunkBytes = 64
/**
 * Maximum number of bytes that are allocated for a request body because of its Content-Length. A
 * client may announce a large body and send nothing.
 */
const maxPreallocated = 64 * 1024

/**
 * Pace at which the body of an HTTP request is read. The pace can slow down or end the reading
 * while the body arrives.
 */
export interface BodyPace {
  /**
   * Called with the size of each received chunk of the request body. If a promise is returned,
   * reading continues when the promise resolves.
   */
  admit(bytes: number): Promise<void> | undefined
  /**
   * Promise that rejects when the client sends the request body too slowly. The promise never
   * resolves.
   */
  readonly stalled: Promise<never>
}

export interface BodyLimits {
  pace?: BodyPace
  maxBytes: number
  /**
   * Maximum time for reading the whole request body, from the start of reading. By default, only
   * the time limit of the HTTP server for a request applies.
   */
  timeoutMs?: number
}

/**
 * Error of a request whose client did not send a usable body. The kind `timeout` becomes the HTTP
 * status 408.
 */
export class BodyError extends AppError {
  override name = 'BodyError'

  constructor(kind: 'invalid' | 'too-large' | 'timeout', message: string, options?: ErrorOptions) {
    super(kind, message, options)
  }
}

/**
 * Reads the body of an HTTP request with any content type. The result is empty if the request has
 * no body.
 *
 * @throws BodyError `too-large` as soon as Content-Length or the received bytes exceed the limit;
 * `timeout`; `invalid` if the body is compressed or incomplete
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0)
  const { headers } = request
  const encoding = headers['content-encoding'] ?? 'identity'
  // Compressed request bodies are rejected, because a compressed kilobyte can expand to a gigabyte.
  if (encoding !== 'identity') throw new BodyError('invalid', 'Content-Encoding is not supported')
  if (Number(headers['content-length'] ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes)
  sendContinue(request)
  return readBytes(request, limits)
}

/** True if the headers of an HTTP request announce a body (RFC 9112 §6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

type ServerRequest = IncomingMessage & { res?: ServerResponse }

/**
 * Sends the interim response 100 Continue if the HTTP client expects it (RFC 9110 §10.1.1). Such a
 * client sends the body only after this response.
 */
function sendContinue({ headers, res }: ServerRequest): void {
  if (headers.expect?.toLowerCase() === '100-continue') res?.writeContinue()
}

function readBytes(
  request: ServerRequest,
  { maxBytes, timeoutMs, pace }: BodyLimits,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const announced = Number(request.headers['content-length'] ?? 0)
  const body = new GrowableBuffer(Math.min(announced, maxBytes, maxPreallocated))
  let chunks = 0
  const fail = (error: unknown) => {
    request.off('data', onData)
    // After an error, the rest of the HTTP request body is read and discarded. If it stayed unread,
    // the client might get a connection reset instead of the response.
    request.resume()
    reject(error)
  }
  const onData = (chunk: Buffer) => {
    chunks += 1
    if (body.size + chunk.length > maxBytes) fail(tooLarge(maxBytes))
    else if (chunks > freeChunks && body.size < chunks * minChunkBytes)
      fail(new BodyError('invalid', 'The body has too many small chunks'))
    else {
      body.append(chunk)
      const admitted = pace?.admit(chunk.length)
      if (!admitted) return
      request.pause()
      admitted.then(() => request.resume(), end)
    }
  }
  const end = (error: unknown) => {
    // The HTTP connection is closed after the response, because the rest of the request body did
    // not arrive or is not wanted.
    if (request.res?.headersSent === false) request.res.setHeader('Connection', 'close')
    fail(error)
  }
  const onTimeout = () => end(new BodyError('timeout', 'The body was not received in time'))
  pace?.stalled.catch(end)
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs)
  request.on('data', onData)
  request.once('end', () => resolve(body.take()))
  request.once('error', (cause) => reject(incomplete({ cause })))
  request.once('close', () => {
    if (!request.readableEnded) reject(incomplete())
  })
  return promise.finally(() => clearTimeout(timer))
}

function incomplete(options?: ErrorOptions): BodyError {
  return new BodyError('invalid', 'The body is incomplete', options)
}

function tooLarge(maxBytes: number): BodyError {
  return new BodyError('too-large', `The body is larger than ${maxBytes} bytes`)
}

const firstBytes = 16 * 1024

/**
 * Buffer that grows when chunks of a request body are appended. If a client sends single bytes, a
 * list of chunks would need about a hundred times the memory.
 */
export class GrowableBuffer {
  #bytes: Buffer
  #size = 0

  /**
   * Creates an empty, growable buffer for a request body. @param expected number of bytes to
   * allocate initially
   */
  constructor(expected = 0) {
    this.#bytes = Buffer.allocUnsafe(expected)
  }

  get size(): number {
    return this.#size
  }

  append(chunk: Buffer): void {
    const size = this.#size + chunk.length
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length, firstBytes))
      this.#bytes.copy(larger, 0, 0, this.#size)
      this.#bytes = larger
    }
    chunk.copy(this.#bytes, this.#size)
    this.#size = size
  }

  /**
   * Returns the collected bytes of the request body. After this call, no more chunks may be
   * appended.
   */
  take(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }
}
