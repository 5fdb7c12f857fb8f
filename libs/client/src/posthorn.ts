import type { CallOptions, Client } from './calls/client.ts'
import { type Change, changes, type ChangesInput, type HistoryLost } from './changes.ts'
import { type ClientOptions, createClient } from './create-client.ts'
import * as operations from './generated/operations.ts'

type Operations = typeof operations

/** Function of an API operation without its first parameter, the client. */
type Bound<F> = F extends (client: Client, ...args: infer A) => infer R ? (...args: A) => R : never

type BoundMembers<F> = { [K in keyof F]: Bound<F[K]> }

/** Operations of the API as methods. */
export type Methods = {
  [K in keyof Operations]: Bound<Operations[K]> & BoundMembers<Operations[K]>
}

/** Client with a method for each operation of the API. */
export interface Posthorn extends Methods {
  /**
   * Follows the state changes of all accounts. Connects again and continues after the last change
   * when the stream ends, until the signal aborts or the API rejects the request.
   */
  changes(
    input?: ChangesInput,
    options?: CallOptions,
  ): AsyncGenerator<Change | HistoryLost, never, undefined>
}

class PosthornClient {
  constructor(options: ClientOptions) {
    const client = createClient(options)
    const bound = Object.entries({ ...operations, changes }).map(([name, call]) => [
      name,
      bind(call as AnyFunction, client),
    ])
    Object.assign(this, Object.fromEntries(bound))
  }
}

export const Posthorn = PosthornClient as new (options: ClientOptions) => Posthorn

type AnyFunction = (client: Client, ...args: unknown[]) => unknown

/** Binds the function of an API operation and its iterators to a client. */
function bind(call: AnyFunction, client: Client): unknown {
  const bound = (...args: unknown[]) => call(client, ...args)
  const members = Object.entries(call).map(([name, member]) => [
    name,
    bind(member as AnyFunction, client),
  ])
  return Object.assign(bound, Object.fromEntries(members))
}
