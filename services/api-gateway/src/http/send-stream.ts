import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Sends bytes as they come. The head waits for the first of them, so that what fails before is still told as an error; what fails
 * later breaks the connection. A client that goes away cancels the source.
 */
export async function sendStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const iterator = body[Symbol.asyncIterator]()
  const first = await iterator.next()
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  try {
    await pipeline(Readable.from(following(first, iterator), { objectMode: false }), response)
  } catch (error) {
    // Nobody is left to be told of it.
    if (!isPrematureClose(error)) throw error
  }
}

async function* following(first: IteratorResult<Uint8Array>, iterator: AsyncIterator<Uint8Array>) {
  try {
    for (let next = first; !next.done; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}
