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

/** Operation of the REST API, which api-gateway serves and the OpenAPI document describes. */
export interface Operation {
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** Path of the API operation in the notation of Express: `/v1/account/:account`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /**
   * Scope that an access token needs for the API operation. `*` is the scope of operators, which a
   * token must name explicitly.
   */
  readonly scope: 'api' | '*'
  /**
   * Permission that an access token needs for the API operation. `byKey`: the operation itself
   * decides for each setting what a token with a permissions record may do.
   */
  readonly permission: { readonly action: Action; readonly group: Group; readonly byKey?: true }
  /**
   * Source of the account id with which access tokens bound to one account are authorized for an
   * API operation, if its path has no `account`: the query, or the handler itself. If absent, such
   * tokens are rejected.
   */
  readonly boundBy?: 'query' | 'handler'
  readonly params?: TObject
  readonly query?: TObject
  readonly headers?: TObject
  readonly body?: TSchema
  /**
   * If true, the API operation treats a request without a body like a request with an empty object.
   */
  readonly optionalBody?: true
  /** Description of an API operation's successful response (status 200) in the OpenAPI document. */
  readonly responseDescription: string
  readonly response: TSchema
  /**
   * Content type of the API operation's response. Responses with a type other than JSON are
   * streamed.
   */
  readonly produces?:
    | 'application/json'
    | 'message/rfc822'
    | 'text/event-stream'
    | 'text/plain'
    | 'application/octet-stream'
    | 'application/gzip'
  /**
   * If true, the API operation supports requests for a range of the response's bytes (RFC 9110
   * §14).
   */
  readonly hasRanges?: true
  /**
   * Maximum size of the request body of an API operation. `upload`: SVC_MAX_BODY_SIZE. Defaults to
   * 1 MB.
   */
  readonly bodyLimit?: 'default' | 'upload'
  /**
   * Error codes of the API operation, in addition to the codes 400, 401, 403 and 429, which all
   * operations have.
   */
  readonly errors?: readonly string[]
  /**
   * Command that the API operation forwards to the sync-worker of the account. Only present if the
   * members of the command's request come from path, query and body, and the command's response is
   * returned unchanged.
   */
  readonly command?: Command
  /**
   * If true, the API operation exists only for older clients and is not part of the OpenAPI
   * document.
   */
  readonly hidden?: boolean
}

export function defineOperation<const O extends Operation>(operation: O): O {
  return operation
}

/**
 * Returns tag, scope and permission for the API operations of a group, by action: read, write, send
 * or destructive.
 */
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
 * Returns the members that operations on a stored resource, such as a template, have in common.
 * `params` describes the path parameters that identify the resource.
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

/** Validated input that the handler of an API operation gets. */
export interface OperationInput<O extends Operation> {
  params: Part<O, 'params'>
  query: Part<O, 'query'>
  headers: Part<O, 'headers'>
  body: Part<O, 'body'>
}
export type OperationOutput<O extends Operation> = Static<O['response']>

/**
 * Command: a request to one process over RabbitMQ, with one reply. Requests with unknown fields are
 * rejected.
 */
export interface Command {
  readonly name: string
  readonly request: TSchema
  readonly response: TSchema
  /** If true, the reply to the RabbitMQ command is followed by a stream. */
  readonly streams?: boolean
  /**
   * If true, a second execution of the RabbitMQ command changes nothing more, so that a requester
   * may send a lost request again.
   */
  readonly repeatable?: boolean
  /**
   * If true, the command uses up something, such as an authorization code, so that two processes
   * must not execute the same request. A request that may have reached another process before is
   * not executed, and the requester gets an error.
   */
  readonly atMostOnce?: boolean
  /**
   * If true, the RabbitMQ command has no reply. The command is sent with `Bus.notify` and may be
   * lost.
   */
  readonly oneWay?: boolean
}

export function defineCommand<const C extends Command>(command: C): C {
  return command
}
export type CommandRequest<C extends Command> = Static<C['request']>
export type CommandResponse<C extends Command> = Static<C['response']>

/**
 * Contract of an event. `data` is the schema of the member `data` in the webhook body. Readers
 * ignore unknown fields.
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
