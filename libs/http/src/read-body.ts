import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@posthorn/errors'

/**
 * Number of body chunks from which their average size must reach `minChunkBytes`: each chunk costs
 * CPU time.
 */
const freeChunks = 10_000
const minChunkBytes = 64
/**
 * Maximum bytes allocated for the Content-Length of a request alone: clients may announce much and
 * send nothing.
 */
const maxPreallocated = 64 * 1024

/** Pace of reading a request body: decides while the body arrives how fast it is read. */
export interface BodyPace {
  /**
   * Called with the size of each chunk of the body. Reading continues when the promise resolves, if
   * any.
   */
  admit(bytes: number): Promise<void> | undefined
  /** Promise that rejects when the client sends the body too slowly. Never resolves. */
  readonly stalled: Promise<never>
}

export interface BodyLimits {
  pace?: BodyPace
  maxBytes: number
  /**
   * Time limit for the whole body, from the start of reading. Defaults to the time limit of the
   * request.
   */
  timeoutMs?: number
}

/** Failure of the client to send a usable body. `timeout` becomes the status 408. */
export class BodyError extends AppError {
  override name = 'BodyError'

  constructor(kind: 'invalid' | 'too-large' | 'timeout', message: string, options?: ErrorOptions) {
    super(kind, message, options)
  }
}

/**
 * Reads the body of an HTTP request with any content type; empty if the request has no body.
 *
 * @throws BodyError `too-large` by Content-Length before reading, or as soon as the limit is
 * exceeded; `timeout`; `invalid` if the body is compressed or incomplete
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0)
  const { headers } = request
  const encoding = headers['content-encoding'] ?? 'identity'
  // Compressed bodies are rejected: a compressed kilobyte can expand to a gigabyte.
  if (encoding !== 'identity') throw new BodyError('invalid', 'Content-Encoding is not supported')
  if (Number(headers['content-length'] ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes)
  sendContinue(request)
  return readBytes(request, limits)
}

/** True if a request has a body. RFC 9112 §6.3: a header announces the body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

type ServerRequest = IncomingMessage & { res?: ServerResponse }

/**
 * Sends 100 Continue if the client expects it. RFC 9110 §10.1.1: such a client sends the body only
 * after this response.
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
    // Discards the remaining bytes of the body, so that the client reads the response instead of a
    // connection reset.
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
    // The remaining bytes of the body are not awaited, so the connection cannot be reused.
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
 * Buffer that grows as chunks of a body are appended. A list of chunks would cost about a hundred
 * times the memory if a client sends single bytes.
 */
export class GrowableBuffer {
  #bytes: Buffer
  #size = 0

  /** Creates a buffer. @param expected number of bytes to allocate initially */
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

  /** Returns the content of the buffer. Do not append chunks after this call. */
  take(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }
}
