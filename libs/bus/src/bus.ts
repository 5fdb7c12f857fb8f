import type { Command, CommandRequest, CommandResponse } from '@posthorn/contracts/define'
import type { EventMessage } from '@posthorn/contracts/events/envelope'
import type { Invalidation } from '@posthorn/contracts/hints'
import type { ServiceName } from '@posthorn/contracts/services'
import type { Static, TSchema } from 'typebox'
import type { SharedQueue, WorkQueue } from './topology.ts'

export interface RpcOptions {
  /**
   * Routing key of the processes that serve the RPC request: `shard.<n>` for a group of accounts,
   * or the name of a shared queue such as `credentials`.
   */
  key: string
  /**
   * Timeout of an RPC request in milliseconds. The deadline is sent with the request, so that no
   * responder acts after the deadline.
   */
  timeoutMs: number
  signal?: AbortSignal
  /**
   * Id of an RPC request that may be sent several times: a change is executed only once for all
   * requests with equal ids. Default: a new id for each request.
   */
  requestId?: string
  /**
   * True if an RPC request should fail within about 250 ms when no responder is running. If false,
   * a request to a shared queue waits for a responder until the deadline of the request.
   */
  failFast?: boolean
}

/**
 * Reply to an RPC request, followed by a stream. Stop reading the stream (`return`) to cancel the
 * responder.
 */
export interface StreamedReply<C extends Command> {
  response: CommandResponse<C>
  body: AsyncIterable<Uint8Array>
}

export interface NotifyOptions {
  /**
   * Routing keys of the processes that get a command without a reply, such as `shard.<n>` for a
   * group of accounts. A process that serves several of the keys gets the command once.
   */
  keys: readonly string[]
  /** Time in milliseconds after which RabbitMQ drops a command that was not consumed. */
  ttlMs: number
}

export interface CommandContext {
  /**
   * Signal that aborts at the deadline of the RPC request and when the requester cancels the
   * request.
   */
  signal: AbortSignal
  /** Deadline of the RPC request in milliseconds since 1970. */
  deadline: number
  /** Id of the RPC request. All repeats of the request have the same id. */
  requestId: string
  /**
   * Name of the service that sent the RPC request. Absent if all services share one RabbitMQ user.
   */
  requester?: ServiceName
}

/** Bus command (request over RabbitMQ) together with its handler, created by the function `on`. */
export interface CommandHandler {
  readonly command: Command
  readonly handle: (request: never, context: CommandContext) => Promise<unknown>
}

/**
 * Server of a request queue in RabbitMQ. A process calls `bind` when it gains the shard (group of
 * accounts) that a routing key names, and `unbind` when it loses the shard.
 */
export interface CommandServer extends AsyncDisposable {
  bind(key: string): Promise<void>
  unbind(key: string): Promise<void>
}

export interface ServeOptions {
  handlers: readonly CommandHandler[]
  /**
   * Queue from which the process takes RPC requests. `private`: an exclusive queue of this process.
   * Any other value: a queue shared by all replicas.
   */
  queue: 'private' | SharedQueue
  keys?: readonly string[]
  /**
   * Maximum concurrent requests of the RPC server, by default 100. If the server has a shared
   * quorum queue, the limit applies separately to requests on its direct queue.
   */
  concurrency?: number
}

export interface Delivery<T> {
  payload: T
  /** True if RabbitMQ has delivered this bus message at least once before. */
  redelivered: boolean
}

export interface ConsumeOptions<S extends TSchema> {
  queue: WorkQueue
  schema: S
  prefetch: number
  /**
   * Function that handles a bus message. If it returns, the message is acknowledged. If it throws a
   * permanent AppError, or if the payload does not match the schema, the message is dead-lettered.
   * After any other error the message is redelivered, up to the delivery limit of the queue.
   */
  handle: (delivery: Delivery<Static<S>>) => Promise<void>
  /**
   * Delay before a failed bus message returns to the queue, depending on the number of its
   * redeliveries. The default grows from 100 ms to 5 s, about 70 s in total up to the delivery
   * limit.
   */
  redeliveryDelayMs?: (redeliveries: number) => number
}

/**
 * RabbitMQ client of a service. All queues, bindings, consumers and servers declared through the
 * client are restored after the loss of a connection or channel.
 *
 * Disposal stops intake, waits for handlers in flight and closes the connections.
 */
export interface Bus extends AsyncDisposable {
  /** True if the process is connected to RabbitMQ and all its channels are open. */
  readonly up: boolean
  /** Number of bus messages and commands that this process is handling. */
  readonly activeHandlers: number
  /** Resolves when the process is connected to RabbitMQ and all its channels are open. */
  whenUp(signal?: AbortSignal): Promise<void>
  /**
   * Publishes an event to the topic exchange `events` with the routing key `<event>.<shard>`, in
   * which `<shard>` is the number of a group of accounts. Resolves when RabbitMQ has confirmed and
   * routed the message. Rejects with `unavailable` within 5 s.
   */
  publishEvent(message: EventMessage): Promise<void>
  /**
   * Publishes a hint (message that makes work start earlier) to a work queue. Resolves when
   * RabbitMQ has confirmed the hint. Rejects with `unavailable` within 5 s. A lost hint delays work
   * until the next periodic query for such work.
   */
  publishHint(queue: WorkQueue, payload: object): Promise<void>
  consume<S extends TSchema>(options: ConsumeOptions<S>): Promise<AsyncDisposable>
  /**
   * Sends a command to one process and waits for its reply.
   *
   * @throws AppError `unavailable` with the code `WorkerNotAvailable`: immediately if no process
   * serves the routing key (`UnroutedError`) or the broker is down, within about 1 s if the
   * responder dies. AppError `timeout` with the code `Timeout` at the deadline. In all other cases
   * the error of the handler.
   */
  request<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<CommandResponse<C>>
  /**
   * Sends a command like `request` and receives a stream after the reply, for commands with
   * `streams: true`. The timeout applies until the first frame of the reply, then between chunks of
   * the stream.
   */
  requestStream<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<StreamedReply<C>>
  /**
   * Sends a command without a reply to the processes that serve the routing keys. Resolves when
   * RabbitMQ has confirmed the command, also if no process serves the routing keys. A process that
   * fails to handle the command does not get it again.
   *
   * @throws AppError `unavailable`: immediately if the broker is down, else within 5 s
   */
  notify<C extends Command & { oneWay: true }>(
    command: C,
    request: CommandRequest<C>,
    options: NotifyOptions,
  ): Promise<void>
  serve(options: ServeOptions): Promise<CommandServer>
  /**
   * Broadcasts to all processes that a cached value changed. A lost broadcast is tolerable, because
   * cached values also expire.
   */
  invalidate(message: Invalidation): Promise<void>
  /**
   * Adds a listener for invalidations of cached values. After a reconnect the listener is called
   * for every topic, because invalidations may have been lost.
   */
  onInvalidate(listener: (message: Invalidation) => void): Promise<AsyncDisposable>
}

/**
 * Combines a bus command with its handler. The bus validates the requests and the responses of the
 * command.
 */
export function on<C extends Command>(
  command: C,
  handle: (
    request: CommandRequest<C>,
    context: CommandContext,
  ) => Promise<C extends { streams: true } ? StreamedReply<C> : CommandResponse<C>>,
): CommandHandler {
  return { command, handle: handle as CommandHandler['handle'] }
}
