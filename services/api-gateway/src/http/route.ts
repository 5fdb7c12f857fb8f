import type { ServerResponse } from 'node:http'
import type { Operation, OperationInput, OperationOutput } from '@posthorn/contracts'
import type { Caller } from '../access/token.ts'

/** What a handler knows beside what was sent. */
export interface RequestContext {
  caller: Caller
  /** Aborted when the client goes away before it has its answer. */
  signal: AbortSignal
}

/** An operation with whoever carries it out, ready to be mounted. */
export interface Route {
  readonly operation: Operation
  readonly run: (input: never) => Promise<unknown>
}

type Input<O extends Operation> = OperationInput<O> & RequestContext

/**
 * Pairs an operation with its handler. By the time the handler runs, token, scope, permission, account, address, referrer, rate
 * limit and schemas are checked; what it throws becomes the spec's error body.
 */
export function handle<const O extends Operation>(
  operation: O,
  run: (input: Input<O>) => Promise<OperationOutput<O>>,
): Route {
  return { operation, run }
}

/** The same for an operation whose answer is bytes: they are sent as they come, and no faster than the client takes them. */
export function handleStream<const O extends Operation>(
  operation: O,
  run: (input: Input<O>) => Promise<AsyncIterable<Uint8Array>>,
): Route {
  return { operation, run }
}

/** Writes an answer that stays open, head included, and resolves at its end. Until the head is out it may throw. */
export type EventStreamResponse = (response: ServerResponse) => Promise<void>

/** The same for an operation whose answer has no end of its own. */
export function handleEventStream<const O extends Operation>(
  operation: O,
  run: (input: Input<O>) => Promise<EventStreamResponse>,
): Route {
  return { operation, run }
}
