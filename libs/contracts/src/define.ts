import type { Static, TObject, TSchema } from 'typebox'

export type Action = 'read' | 'write' | 'send' | 'destructive'
export type Group =
  | 'account'
  | 'mailbox'
  | 'message'
  | 'submit'
  | 'outbox'
  | 'export'
  | 'template'
  | 'blocklist'
  | 'webhook'
  | 'gateway'
  | 'events'
  | 'diagnostics'
  | 'logs'
  | 'admin'

/** One operation of the REST API. The gateway mounts it, the OpenAPI document prints it, tests and clients read it. */
export interface Operation {
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** Express notation: `/v1/account/:account`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** `*` is what operators have; it is never taken as given. */
  readonly scope: 'api' | '*'
  /** `byKey`: the operation itself decides what tokens with a permissions record may do, setting by setting. */
  readonly permission: { readonly action: Action; readonly group: Group; readonly byKey?: true }
  /**
   * Where a token that is bound to an account finds that account, if not in the path: in the query, or the operation itself holds the
   * token against what it is asked for. Without this and without an `account` in the path such tokens are refused.
   */
  readonly boundBy?: 'query' | 'handler'
  readonly params?: TObject
  readonly query?: TObject
  readonly headers?: TObject
  readonly body?: TSchema
  /** A request without a body counts as one with an empty object. */
  readonly optionalBody?: true
  readonly response: TSchema
  /** What a 200 carries. Anything but JSON is streamed. */
  readonly produces?:
    | 'application/json'
    | 'message/rfc822'
    | 'text/event-stream'
    | 'text/plain'
    | 'application/octet-stream'
  /** `upload` routes take bodies up to SVC_MAX_BODY_SIZE, all others 1 MB. */
  readonly bodyLimit?: 'default' | 'upload'
  /** Documented codes beyond the 400/401/403/429 that every operation may answer. */
  readonly errors?: readonly string[]
  /**
   * Command that the operation forwards to the worker of its account. Present only if the command's
   * request consists of members of path, query and body, and its response is the response.
   */
  readonly command?: Command
  /** Kept for clients that know it, left out of the OpenAPI document. */
  readonly hidden?: boolean
}

export function defineOperation<const O extends Operation>(operation: O): O {
  return operation
}

type Part<
  O extends Operation,
  K extends 'params' | 'query' | 'headers' | 'body',
> = O[K] extends TSchema ? Static<O[K]> : undefined

/** What a handler of the operation is given, already checked. */
export interface OperationInput<O extends Operation> {
  params: Part<O, 'params'>
  query: Part<O, 'query'>
  headers: Part<O, 'headers'>
  body: Part<O, 'body'>
}
export type OperationOutput<O extends Operation> = Static<O['response']>

/** A question to one process over the bus: strict in what it takes, answered once, worthless after its deadline. */
export interface Command {
  readonly name: string
  readonly request: TSchema
  readonly response: TSchema
  /** The answer is followed by bytes. */
  readonly streams?: boolean
}

export function defineCommand<const C extends Command>(command: C): C {
  return command
}
export type CommandRequest<C extends Command> = Static<C['request']>
export type CommandResponse<C extends Command> = Static<C['response']>

/** Something that happened. `data` is the `data` of the webhook body. Tolerant: fields unknown to a reader pass. */
export interface EventContract {
  readonly name: string
  readonly data: TSchema
}

export function defineEvent<const N extends string, const D extends TSchema>(
  name: N,
  data: D,
): { readonly name: N; readonly data: D } {
  return { name, data }
}
