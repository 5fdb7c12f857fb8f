import type { TObject } from 'typebox'
import type { Command, Operation } from './define.ts'

/**
 * API operation that api-gateway forwards: the sync-worker of the account executes the operation's
 * command.
 */
export type ForwardedOperation = Operation & { readonly command: Command }

/**
 * True if api-gateway forwards the API operation: the contract of such an operation names the
 * command that a sync-worker executes.
 */
export function isForwarded(operation: Operation): operation is ForwardedOperation {
  return operation.command !== undefined
}

interface ValidatedInput {
  params?: object | undefined
  query?: object | undefined
  body?: object | undefined
}

/**
 * Builds the request of the RabbitMQ command that a forwarded API operation executes, from the
 * path, query and body of the API request. Members that the command does not have are dropped,
 * because such members are only accepted for compatibility.
 */
export function toCommandRequest(
  { command }: ForwardedOperation,
  { params, query, body }: ValidatedInput,
): Record<string, unknown> {
  const { properties } = command.request as TObject
  const members = Object.entries({ ...params, ...query, ...body })
  return Object.fromEntries(
    members.filter(([name, value]) => Object.hasOwn(properties, name) && value !== undefined),
  )
}
