import type { ServerResponse } from 'node:http'
import type { Operation, OperationInput, OperationOutput } from '@posthorn/contracts/define'
import type { Caller } from '../access/authenticate.ts'

/**
 * Context of an API request, which the handler of the operation gets in addition to the validated
 * input.
 */
export interface RequestContext {
  caller: Caller
  /** Signal that is aborted if the client disconnects before the HTTP response is complete. */
  signal: AbortSignal
}

/** API operation with its handler, ready to be mounted. */
export interface OperationHandler {
  readonly operation: Operation
  readonly run: (input: never) => Promise<unknown>
}

type Input<O extends Operation> = OperationInput<O> & RequestContext

/**
 * Pairs an API operation with its handler. The handler runs after authorization, rate limit and
 * schema validation. Errors that the handler throws become the error body of the interface spec.
 */
export function handle<const O extends Operation>(
  operation: O,
  run: (input: Input<O>) => Promise<OperationOutput<O>>,
): OperationHandler {
  return { operation, run }
}

/**
 * HTTP response whose body is a stream of bytes, not JSON. Headers default to the media type that
 * the API operation declares.
 */
export interface StreamResponse {
  headers?: Readonly<Record<string, string>>
  body: AsyncIterable<Uint8Array>
}

/**
 * Pairs an API operation whose response consists of bytes with its handler. The bytes are sent at
 * the client's pace.
 */
export function handleStream<const O extends Operation>(
  operation: O,
  run: (input: Input<O>) => Promise<StreamResponse>,
): OperationHandler {
  return { operation, run }
}

/**
 * Function that writes a whole HTTP response, such as an event stream or a range of a file, and
 * resolves at the end of the response. Throws only before the response head.
 */
export type ResponseWriter = (response: ServerResponse) => Promise<void>

/** Pairs an API operation whose handler writes the HTTP response itself with this handler. */
export function handleWriter<const O extends Operation>(
  operation: O,
  run: (input: Input<O>) => Promise<ResponseWriter>,
): OperationHandler {
  return { operation, run }
}
