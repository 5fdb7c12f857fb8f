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

/** Operation of the REST API. Mounted by api-gateway and included in the OpenAPI document. */
export interface Operation {
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** Path of the operation in Express notation: `/v1/account/:account`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Scope that a token needs. `*` is the scope of operators. Tokens must name it explicitly. */
  readonly scope: 'api' | '*'
  /**
   * Permission that a token needs. `byKey`: the operation authorizes tokens with a permissions
   * record per setting.
   */
  readonly permission: { readonly action: Action; readonly group: Group; readonly byKey?: true }
  /**
   * Authorization of account-bound tokens if the path has no `account`: by the query, or by the
   * handler. If absent, such tokens are rejected.
   */
  readonly boundBy?: 'query' | 'handler'
  readonly params?: TObject
  readonly query?: TObject
  readonly headers?: TObject
  readonly body?: TSchema
  /** If true, an absent request body is an empty object. */
  readonly optionalBody?: true
  readonly response: TSchema
  /** Content type of the operation's response. Types other than JSON are streamed. */
  readonly produces?:
    | 'application/json'
    | 'message/rfc822'
    | 'text/event-stream'
    | 'text/plain'
    | 'application/octet-stream'
    | 'application/gzip'
  /** If true, requests for a range of the response's bytes are supported (RFC 9110 §14). */
  readonly hasRanges?: true
  /** Size limit of the request body. `upload`: bodies up to SVC_MAX_BODY_SIZE. Default: 1 MB. */
  readonly bodyLimit?: 'default' | 'upload'
  /** Error codes of the operation beyond the 400, 401, 403 and 429 of all operations. */
  readonly errors?: readonly string[]
  /**
   * Command that the operation forwards to the worker of its account. Present only if the command's
   * request consists of members of path, query and body, and its response is the response.
   */
  readonly command?: Command
  /**
   * If true, the operation is supported for older clients and not included in the OpenAPI document.
   */
  readonly hidden?: boolean
}

export function defineOperation<const O extends Operation>(operation: O): O {
  return operation
}

/** Returns tag, scope and permission of the API operations of a group, by action. */
export function operationKinds(tag: string, group: Group, scope: Operation['scope'] = 'api') {
  const kind = (action: Action) => ({ tag, scope, permission: { action, group } })
  return {
    read: kind('read'),
    write: kind('write'),
    send: kind('send'),
    destructive: kind('destructive'),
  }
}

/**
 * Returns the common members of the operations on a stored resource such as a template. `params`
 * describes the path parameters that identify the resource.
 */
export function resourceOperations<const P extends TObject>(
  { read, write, destructive }: ReturnType<typeof operationKinds>,
  params: P,
) {
  return {
    list: { ...read, method: 'get' },
    get: { ...read, method: 'get', params },
    create: { ...write, method: 'post' },
    update: { ...write, method: 'put', params },
    delete: { ...destructive, method: 'delete', params },
  } as const
}

type Part<
  O extends Operation,
  K extends 'params' | 'query' | 'headers' | 'body',
> = O[K] extends TSchema ? Static<O[K]> : undefined

/** Validated input of the operation's handler. */
export interface OperationInput<O extends Operation> {
  params: Part<O, 'params'>
  query: Part<O, 'query'>
  headers: Part<O, 'headers'>
  body: Part<O, 'body'>
}
export type OperationOutput<O extends Operation> = Static<O['response']>

/**
 * Command: a request to one process over RabbitMQ, with one reply. Unknown request fields are
 * rejected.
 */
export interface Command {
  readonly name: string
  readonly request: TSchema
  readonly response: TSchema
  /** If true, the reply to the command is followed by a stream. */
  readonly streams?: boolean
  /**
   * If true, a second execution of the command has no further effect, so a requester may repeat a
   * lost request.
   */
  readonly repeatable?: boolean
  /**
   * If true, an execution of the command uses something up, so a request must not be executed by
   * two processes. A request that may have reached a process before is dropped, and its requester
   * gets an error.
   */
  readonly atMostOnce?: boolean
  /** If true, the command has no reply: it is sent with `Bus.notify`, and may be lost. */
  readonly oneWay?: boolean
}

export function defineCommand<const C extends Command>(command: C): C {
  return command
}
export type CommandRequest<C extends Command> = Static<C['request']>
export type CommandResponse<C extends Command> = Static<C['response']>

/**
 * Contract of an event. `data` is the `data` of the webhook body. Readers ignore unknown fields.
 */
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
