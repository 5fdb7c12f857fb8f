import type { TObject } from 'typebox'
import type { Command, Operation } from './define.ts'

/** API operation without logic of its own: the worker of the account replies to its command. */
export type ForwardedOperation = Operation & { readonly command: Command }

/** True if the contract of an API operation declares the command that serves the operation. */
export function isForwarded(operation: Operation): operation is ForwardedOperation {
  return operation.command !== undefined
}

interface ValidatedInput {
  params?: object | undefined
  query?: object | undefined
  body?: object | undefined
}

/**
 * Builds the command request of a forwarded API operation: members of path, query and body that the
 * command takes. Members that the command does not know are accepted for compatibility and dropped.
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
