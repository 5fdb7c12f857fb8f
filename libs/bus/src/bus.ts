import type { Command, CommandRequest, CommandResponse } from '@posthorn/contracts/define'
import type { EventMessage } from '@posthorn/contracts/events/envelope'
import type { Invalidation } from '@posthorn/contracts/hints'
import type { ServiceName } from '@posthorn/contracts/services'
import type { Static, TSchema } from 'typebox'
import type { SharedQueue, WorkQueue } from './topology.ts'

export interface RpcOptions {
  /**
   * Key of the processes that serve the request: `shard.<n>`, or the name of a shared queue such as
   * `credentials`.
   */
  key: string
  /** Timeout of the request in milliseconds. Sent as a deadline, after which no responder acts. */
  timeoutMs: number
  signal?: AbortSignal
  /**
   * Id of a repeatable request: a repeat with the same id executes a change once. Default: a new id
   * for each request.
   */
  requestId?: string
  /**
   * If true, the request fails within about 250 ms when no responder is running. Otherwise a
   * request to a shared queue waits for a responder until the deadline of the request.
   */
  failFast?: boolean
}

/**
 * Reply to a request, followed by a stream. Stop reading the stream (`return`) to cancel the
 * responder.
 */
export interface StreamedReply<C extends Command> {
  response: CommandResponse<C>
  body: AsyncIterable<Uint8Array>
}

export interface NotifyOptions {
  /**
   * Keys of the processes that get the command, such as `shard.<n>`. A process that serves several
   * keys gets the command once.
   */
  keys: readonly string[]
  /** Time in milliseconds after which RabbitMQ drops a command that was not consumed. */
  ttlMs: number
}

export interface CommandContext {
  /**
   * Signal that aborts at the deadline of the request and when the requester cancels the request.
   */
  signal: AbortSignal
  /** Deadline of the request in milliseconds since 1970. */
  deadline: number
  /** Id of the request, identical for all repeats of the request. */
  requestId: string
  /** Service that sent the request. Absent if services share a RabbitMQ user. */
  requester?: ServiceName
}

/** Command with its handler, created by the function `on`. */
export interface CommandHandler {
  readonly command: Command
  readonly handle: (request: never, context: CommandContext) => Promise<unknown>
}

/**
 * Server of a request queue in RabbitMQ. Keys are bound and unbound with the shards of the process.
 */
export interface CommandServer extends AsyncDisposable {
  bind(key: string): Promise<void>
  unbind(key: string): Promise<void>
}

export interface ServeOptions {
  handlers: readonly CommandHandler[]
  /**
   * Queue of the requests. `private`: an exclusive queue of this process. Otherwise a queue shared
   * by all replicas.
   */
  queue: 'private' | SharedQueue
  keys?: readonly string[]
  /**
   * Maximum concurrent requests of the server; default 100. A shared quorum queue has the same
   * limit again for direct requests.
   */
  concurrency?: number
}

export interface Delivery<T> {
  payload: T
  /** True if RabbitMQ has delivered the bus message before. */
  redelivered: boolean
}

export interface ConsumeOptions<S extends TSchema> {
  queue: WorkQueue
  schema: S
  prefetch: number
  /**
   * Handles the delivery of a bus message. Returning acknowledges the message. A permanent AppError
   * and a payload that does not match the schema dead-letter the message. Any other error
   * redelivers the message, up to the delivery limit of the queue.
   */
  handle: (delivery: Delivery<Static<S>>) => Promise<void>
  /**
   * Delay before a failed delivery of a bus message returns to the queue, by the number of
   * redeliveries. Default: 100 ms, doubling to 5 s, about 70 s in total up to the delivery limit.
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
  /** True if RabbitMQ is connected and all channels are open. */
  readonly up: boolean
  /** Number of bus messages and commands being handled. */
  readonly activeHandlers: number
  /** Resolves when RabbitMQ is connected and all channels are open. */
  whenUp(signal?: AbortSignal): Promise<void>
  /**
   * Publishes an event to the topic exchange `events` with key `<event>.<shard>`. Resolves when the
   * message is confirmed and routed. Rejects `unavailable` within 5 s.
   */
  publishEvent(message: EventMessage): Promise<void>
  /**
   * Publishes a hint to a work queue. Resolves when confirmed, rejects `unavailable` within 5 s. A
   * lost hint delays work until the next sweep.
   */
  publishHint(queue: WorkQueue, payload: object): Promise<void>
  consume<S extends TSchema>(options: ConsumeOptions<S>): Promise<AsyncDisposable>
  /**
   * Sends a command to one process and waits for its reply.
   *
   * @throws AppError `unavailable` `WorkerNotAvailable`, immediately if no process serves the key
   * (`UnroutedError`) or the broker is down, within about 1 s if the responder dies. `timeout`
   * `Timeout` at the deadline. Otherwise the error of the handler.
   */
  request<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<CommandResponse<C>>
  /**
   * Sends a command like `request`, with `streams: true`: a stream follows the reply. The timeout
   * applies until the first frame of the reply, then between chunks of the stream.
   */
  requestStream<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<StreamedReply<C>>
  /**
   * Sends a command without a reply to the processes that serve the keys. Resolves when RabbitMQ
   * has confirmed the command, also if no process serves the keys. A process that fails to handle
   * the command does not get it again.
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
   * Broadcasts an invalidation of cached values to all processes. Best effort: caches also expire.
   */
  invalidate(message: Invalidation): Promise<void>
  /** Adds a listener to invalidations, which also receives every topic after a reconnect. */
  onInvalidate(listener: (message: Invalidation) => void): Promise<AsyncDisposable>
}

/** Pairs a command with its handler. The bus validates requests and responses. */
export function on<C extends Command>(
  command: C,
  handle: (
    request: CommandRequest<C>,
    context: CommandContext,
  ) => Promise<C extends { streams: true } ? StreamedReply<C> : CommandResponse<C>>,
): CommandHandler {
  return { command, handle: handle as CommandHandler['handle'] }
}
