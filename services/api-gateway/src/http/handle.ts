import type { ServerResponse } from 'node:http'
import type { Operation, OperationInput, OperationOutput } from '@posthorn/contracts/define'
import type { Caller } from '../access/authenticate.ts'

/** Context of a request, beside its validated input. */
export interface RequestContext {
  caller: Caller
  /** Aborted if the client disconnects before the response is complete. */
  signal: AbortSignal
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
