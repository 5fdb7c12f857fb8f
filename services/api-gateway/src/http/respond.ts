import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Operation } from '@posthorn/contracts/define'
import type { Response } from 'express'
import type { ResponseWriter, StreamResponse } from './handle.ts'

/**
 * Number of characters of a response text that are converted to JSON at a time, which takes 1 ms.
 */
const pieceLength = 512 * 1024

/** Sends the result of an API operation: JSON, bytes, or a stream of events. */
export async function respond(
  { produces = 'application/json' }: Operation,
  response: Response,
  result: unknown,
): Promise<void> {
  if (typeof result === 'function') await (result as ResponseWriter)(response)
  else if (produces === 'application/json' && !hasLargeText(result)) sendJson(response, result)
  else {
    const stream = produces === 'application/json' ? streamJson(result as object) : result
    const { headers = contentType(produces), body } = stream as StreamResponse
    await sendStream(response, headers, body)
  }
}

/**
 * Sends the result of an API operation as JSON with the status 200. Express would send 304 without
 * a body to a client that sends `If-None-Match: *`, although results have no ETag.
 */
function sendJson(response: ServerResponse, result: unknown): void {
  const body = Buffer.from(JSON.stringify(result) ?? '')
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  response.end(body)
}

/** Content type of an API response. All text of the API is UTF-8. */
function contentType(produces: string) {
  return { 'Content-Type': produces + (produces.startsWith('text/') ? '; charset=utf-8' : '') }
}

/** Signal that aborts if the client disconnects before the HTTP response is complete. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  response.once('close', () => response.writableFinished || controller.abort())
  return controller.signal
}

/** True if the client of a request disconnected. The resulting abort is expected and not logged. */
export function isClientDisconnect(response: Response, error: unknown): boolean {
  return response.destroyed && error instanceof Error && error.name === 'AbortError'
}

/**
 * Sends the bytes of an HTTP response as they arrive. The head is written after the first chunk, so
 * an error before the first chunk still becomes an error response. A later error resets the
 * connection. A client that disconnects cancels the source of the bytes.
 */
async function sendStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const iterator = body[Symbol.asyncIterator]()
  const first = await iterator.next()
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  try {
    await pipeline(Readable.from(resume(first, iterator), { objectMode: false }), response)
  } catch (error) {
    // Ignores the error of a client that has disconnected before the end of the response.
    if (!isPrematureClose(error)) throw error
  }
}

async function* resume(first: IteratorResult<Uint8Array>, iterator: AsyncIterator<Uint8Array>) {
  try {
    for (let next = first; !next.done; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/** True if a response object has a text that would block the event loop while it becomes JSON. */
export function hasLargeText(result: unknown): boolean {
  return (
    typeof result === 'object' &&
    result !== null &&
    Object.values(result).some((member) => typeof member === 'string' && isLarge(member))
  )
}

function isLarge(text: string): boolean {
  return text.length > pieceLength
}

/** JSON of a response object as a stream, between whose pieces the event loop runs. */
function streamJson(result: object): StreamResponse {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  return { headers, body: encode(jsonPieces(result)) }
}

async function* encode(pieces: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

/** JSON of a response object in pieces. Each piece has at most one piece of a large text. */
export function* jsonPieces(result: object): Generator<string> {
  let separator = '{'
  for (const [name, member] of Object.entries(result)) {
    if (member === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (typeof member === 'string' && isLarge(member)) yield* textPieces(member)
    else yield JSON.stringify(member)
  }
  yield separator === '{' ? '{}' : '}'
}

/**
 * Yields the JSON of a large text in pieces. If a piece ends within a character of two UTF-16
 * units, the units become two escapes, which a JSON parser joins again.
 */
function* textPieces(text: string): Generator<string> {
  yield '"'
  for (let at = 0; at < text.length; at += pieceLength)
    yield JSON.stringify(text.slice(at, at + pieceLength)).slice(1, -1)
  yield '"'
}
