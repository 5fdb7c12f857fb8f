import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Operation, OperationInput, OperationOutput } from '@posthorn/contracts/define'
import type { Caller } from '../access/caller.ts'

/** Context of a request, beside its validated input. */
export interface RequestContext {
  caller: Caller
  /** Aborted if the client disconnects before the response is complete. */
  signal: AbortSignal
}

/** Aborts if the client disconnects before the response is complete. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  response.once('close', () => response.writableFinished || controller.abort())
  return controller.signal
}

/** Operation with its handler, ready to be mounted. */
export interface OperationHandler {
  readonly operation: Operation
  readonly run: (input: never) => Promise<unknown>
}

type Input<O extends Operation> = OperationInput<O> & RequestContext

/**
 * Pairs an operation with its handler. The handler runs after authorization, rate limit and schema
 * validation. Errors it throws become the error body of the interface spec.
 */
export function handle<const O extends Operation>(
  operation: O,
  run: (input: Input<O>) => Promise<OperationOutput<O>>,
): OperationHandler {
  return { operation, run }
}

/** Response of bytes. Headers default to the media type that the operation declares. */
export interface StreamResponse {
  headers?: Readonly<Record<string, string>>
  body: AsyncIterable<Uint8Array>
}

/** Variant of `handle` for an operation that responds with bytes, sent at the client's pace. */
export function handleStream<const O extends Operation>(
  operation: O,
  run: (input: Input<O>) => Promise<StreamResponse>,
): OperationHandler {
  return { operation, run }
}

/** Writes an open-ended response and resolves at its end. Throws only before the head. */
export type EventStreamResponse = (response: ServerResponse) => Promise<void>

/** Variant of `handle` for an operation whose response stays open until either side ends it. */
export function handleEventStream<const O extends Operation>(
  operation: O,
  run: (input: Input<O>) => Promise<EventStreamResponse>,
): OperationHandler {
  return { operation, run }
}

/**
 * Sends bytes as they arrive. The head is written after the first chunk, so an error before the
 * first chunk still becomes an error response. A later error resets the connection. A client that
 * disconnects cancels the source.
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
    await pipeline(Readable.from(resume(first, iterator), { objectMode: false }), response)
  } catch (error) {
    // The client has disconnected and cannot receive an error.
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
