import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@posthorn/errors'
import { GrowableBuffer } from './growable-buffer.ts'
import { assertContent, assertShape } from './json-shape.ts'

/**
 * Number of chunks from which their average size must reach `minChunkBytes`: each costs CPU time.
 */
const freeChunks = 10_000
const minChunkBytes = 64
/** Maximum bytes allocated for Content-Length alone: clients may announce much and send nothing. */
const maxPreallocated = 64 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON body of at most `maxBytes`; undefined if there is none. Call it after
 * authentication, so that only authorized callers occupy memory.
 *
 * @throws AppError `too-large` by Content-Length before reading, or as soon as the limit is
 * exceeded; `invalid` for anything but JSON in UTF-8, excessive nesting, and names such as
 * `__proto__`
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!hasBody(request)) return undefined
  assertHeaders(request, maxBytes)
  sendContinue(request)
  const bytes = await readBytes(request, maxBytes)
  if (bytes.length === 0) return undefined
  assertShape(bytes)
  const value = parse(bytes)
  assertContent(value)
  return value
}

/** RFC 9110 §10.1.1: a client that expects 100 sends the body only after this response. */
function sendContinue({ headers, res }: IncomingMessage & { res?: ServerResponse }): void {
  if (headers.expect?.toLowerCase() === '100-continue') res?.writeContinue()
}

/** RFC 9112 §6.3: a request has a body if a header announces it. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function assertHeaders({ headers }: IncomingMessage, maxBytes: number): void {
  const type = headers['content-type']
  if (type !== undefined && !isJson(type))
    throw new AppError('invalid', 'Content-Type must be application/json in UTF-8')
  const encoding = headers['content-encoding'] ?? 'identity'
  // A compressed kilobyte can expand to a gigabyte.
  if (encoding !== 'identity') throw new AppError('invalid', 'Content-Encoding is not supported')
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';', 10)
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8)
  const named = charset === undefined || /^"?(?:utf-?8|us-ascii)"?$/.test(charset)
  return (type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) && named
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const announced = Number(request.headers['content-length'] ?? 0)
  const body = new GrowableBuffer(Math.min(announced, maxBytes, maxPreallocated))
  let chunks = 0
  const fail = (error: AppError) => {
    request.off('data', onData)
    // Discards the rest, so that the client reads the response instead of a connection reset.
    request.resume()
    reject(error)
  }
  const onData = (chunk: Buffer) => {
    chunks += 1
    if (body.size + chunk.length > maxBytes) fail(tooLarge(maxBytes))
    else if (chunks > freeChunks && body.size < chunks * minChunkBytes)
      fail(new AppError('invalid', 'The body has too many small chunks'))
    else body.append(chunk)
  }
  request.on('data', onData)
  request.once('end', () => resolve(body.take()))
  request.once('error', (cause) =>
    reject(new AppError('invalid', 'The body is incomplete', { cause })),
  )
  request.once('close', () => {
    if (!request.readableEnded) reject(new AppError('invalid', 'The body is incomplete'))
  })
  return promise
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new AppError('invalid', 'The body is not valid JSON')
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `The body is larger than ${maxBytes} bytes`)
}
