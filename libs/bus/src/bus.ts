import type {
  Command,
  CommandRequest,
  CommandResponse,
  EventMessage,
  Invalidation,
  ServiceName,
} from '@posthorn/contracts'
import type { Static, TSchema } from 'typebox'
import type { SharedQueue, WorkQueue } from './topology.ts'

/** How to reach whoever answers a command. */
export interface RpcOptions {
  /** `shard.<n>`, or the name of a shared queue such as `credentials`. */
  key: string
  /** Milliseconds until the asker stops waiting; travels with the request, and nobody acts after it. */
  timeoutMs: number
  signal?: AbortSignal
  /** Given again when the same request is repeated, so that a change it asks for is made once; else each request is its own. */
  requestId?: string
  /** Fails soon where nobody answers the key. Else a question to a shared queue waits there for whoever comes in time. */
  failFast?: boolean
}

/** An answer that is followed by bytes. Stop reading (`return`) to cancel the other side. */
export interface StreamedReply<C extends Command> {
  response: CommandResponse<C>
  body: AsyncIterable<Uint8Array>
}

/** What a command handler is told beside the request. */
export interface CommandContext {
  /** Aborted when the deadline has passed or the asker went away. */
  signal: AbortSignal
  /** Epoch milliseconds. */
  deadline: number
  /** The same for every repeat of one request: a change that was made for it need not be made again. */
  requestId: string
  /** Which service asks, where each has a user of its own at the broker; absent where nobody can tell. */
  requester?: ServiceName
}

/** A command with whoever answers it. Made by `on`. */
export interface CommandHandler {
  readonly command: Command
  readonly handle: (request: never, context: CommandContext) => Promise<unknown>
}

/** Answers commands on a queue; keys come and go with the shards held. */
export interface CommandServer extends AsyncDisposable {
  bind(key: string): Promise<void>
  unbind(key: string): Promise<void>
}

export interface ServeOptions {
  handlers: readonly CommandHandler[]
  /** `private`: an exclusive queue of this process, for shards. Else one that all replicas share, reached by its name. */
  queue: 'private' | SharedQueue
  keys?: readonly string[]
  /** Requests worked on at once; default 100. Twice as many where a shared queue is written to disk: the same again of what is asked directly. */
  concurrency?: number
}

export interface Delivery<T> {
  payload: T
  /** Whether the broker has handed it out before. */
  redelivered: boolean
}

export interface ConsumeOptions<S extends TSchema> {
  queue: WorkQueue
  schema: S
  prefetch: number
  /**
   * Returning acknowledges. A permanent AppError dead-letters, and so does a payload that does not match the schema; anything else
   * comes back later, at most the queue's delivery limit.
   */
  handle: (delivery: Delivery<Static<S>>) => Promise<void>
  /**
   * How long a delivery that failed for now is held before it goes back to the queue, by the number of times it has come back already;
   * 100 ms doubling to 5 s, which makes a good minute until the delivery limit.
   */
  redeliveryDelayMs?: (redeliveries: number) => number
}

/**
 * RabbitMQ as the services see it. Everything that was declared through it (queues, bindings, consumers, servers) is made again after
 * any loss of a connection or channel.
 *
 * Disposing stops taking work, waits for what is in hand, and closes.
 */
export interface Bus extends AsyncDisposable {
  /** Whether the broker can be used right now. */
  readonly up: boolean
  /** Resolves when the broker can be used. */
  whenUp(signal?: AbortSignal): Promise<void>
  /** On the topic exchange `events`, key `<event>.<shard>`; resolves when confirmed and routed, rejects `unavailable` within 5 s. */
  publishEvent(message: EventMessage): Promise<void>
  /** A hint on a work queue; resolves when confirmed, rejects `unavailable` within 5 s. Losing one costs the time until the sweep. */
  publishHint(queue: WorkQueue, payload: object): Promise<void>
  consume<S extends TSchema>(options: ConsumeOptions<S>): Promise<AsyncDisposable>
  /**
   * Asks one process and waits for its answer.
   *
   * @throws AppError `unavailable` `WorkerNotAvailable` at once when nobody holds the key or the broker is down, and soon when
   * whoever answers has died; `timeout` `Timeout` at the deadline; else whatever the handler threw.
   */
  request<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<CommandResponse<C>>
  /** As `ask`, for commands with `streams: true`. The timeout counts until the first answer, then between chunks. */
  requestStream<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<StreamedReply<C>>
  serve(options: ServeOptions): Promise<CommandServer>
  /** Tells every process. Best effort: caches expire by themselves. */
  invalidate(message: Invalidation): Promise<void>
  /** Called for every invalidation, and with every topic after a reconnect (some may have been missed). */
  onInvalidate(listener: (message: Invalidation) => void): Promise<AsyncDisposable>
}

/** Pairs a command with its handler; the bus checks requests before and answers after. */
export function on<C extends Command>(
  command: C,
  handle: (
    request: CommandRequest<C>,
    context: CommandContext,
  ) => Promise<C extends { streams: true } ? StreamedReply<C> : CommandResponse<C>>,
): CommandHandler {
  return { command, handle: handle as CommandHandler['handle'] }
}
