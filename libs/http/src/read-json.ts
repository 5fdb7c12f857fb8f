import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@posthorn/errors'
import { GrowableBuffer } from './growable-buffer.ts'
import { assertContent, assertShape } from './json-shape.ts'

/** So many pieces of a body are read whatever they are like; from there on they shall have so many bytes on average, for each costs time. */
const manyPieces = 10_000
const smallPiece = 64
/** Memory taken for the announced length alone: many may announce much and send nothing. */
const maxBelieved = 64 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON body of at most `maxBytes`; undefined when there is none. To be called once the caller is known: nobody else gets
 * to put megabytes into our memory.
 *
 * @throws AppError `too-large` by the announced length, before a byte was read, or as soon as more came; `invalid` for anything but
 * JSON in UTF-8, for nesting beyond reason, and for names like `__proto__`.
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!hasBody(request)) return undefined
  assertHeaders(request, maxBytes)
  goOn(request)
  const bytes = await readBytes(request, maxBytes)
  if (bytes.length === 0) return undefined
  assertShape(bytes)
  const value = parse(bytes)
  assertContent(value)
  return value
}

/** RFC 9110 §10.1.1: who asks first whether to send the body is told so now that somebody reads it. */
function goOn({ headers, res }: IncomingMessage & { res?: ServerResponse }): void {
  if (headers.expect?.toLowerCase() === '100-continue') res?.writeContinue()
}

/** RFC 9112 §6.3: a request has a body when it says so. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function assertHeaders({ headers }: IncomingMessage, maxBytes: number): void {
  const type = headers['content-type']
  if (type !== undefined && !isJson(type))
    throw new AppError('invalid', 'Content-Type must be application/json in UTF-8')
  const encoding = headers['content-encoding'] ?? 'identity'
  // A kilobyte can unpack to a gigabyte: bodies are taken as they are.
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
  const gathered = new GrowableBuffer(Math.min(announced, maxBytes, maxBelieved))
  let pieces = 0
  const refuse = (error: AppError) => {
    request.off('data', onData)
    request.resume() // what follows is read and thrown away, so that the client gets to read our answer
    reject(error)
  }
  const onData = (piece: Buffer) => {
    pieces += 1
    if (gathered.size + piece.length > maxBytes) refuse(tooLarge(maxBytes))
    else if (pieces > manyPieces && gathered.size < pieces * smallPiece) refuse(inCrumbs())
    else gathered.append(piece)
  }
  request.on('data', onData)
  request.once('end', () => resolve(gathered.take()))
  request.once('error', (cause) =>
    reject(new AppError('invalid', 'The body did not arrive', { cause })),
  )
  request.once('close', () => {
    if (!request.readableEnded) reject(new AppError('invalid', 'The body did not arrive'))
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

function inCrumbs(): AppError {
  return new AppError('invalid', 'The body comes in too many small pieces')
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `The body is larger than ${maxBytes} bytes`)
}
