import { settleWithin, TaskGroup } from '@posthorn/flow'
import type { Channel, ConsumeMessage } from 'amqplib'
import type { CommandServer, ServeOptions } from '../bus.ts'
import { Bindings } from '../connection/bindings.ts'
import { plain, RecoveringChannel } from '../connection/recovering-channel.ts'
import type { RecoveringConnection } from '../connection/recovering-connection.ts'
import type { Instruments } from '../instruments.ts'
import { declareOwnQueue, declareSharedQueue, isOnDisk } from '../topology.ts'
import { cancelKey } from './frames.ts'
import type { ReplyQueue } from './reply-queue.ts'
import { RpcResponder, type RpcResponderDeps } from './rpc-responder.ts'

const defaultConcurrency = 100
const cancelMs = 2_000
/**
 * Time for which outgoing RPC streams may continue during shutdown. The whole shutdown of a process
 * must take at most 10 s.
 */
const streamGraceMs = 5_000

export interface RpcServerDeps extends Omit<RpcResponderDeps, 'replyQueue' | 'directQueue'> {
  connection: RecoveringConnection
  replyQueue: ReplyQueue
  instruments: Instruments
  /** Service name, with which the names of the RPC server's queues begin. */
  name: string
  reconcileMs: number
}

/** Consumer of a request queue in RabbitMQ, which passes the requests to a responder. */
export class RpcServer implements CommandServer {
  readonly channel: RecoveringChannel<Channel>
  readonly #deps: RpcServerDeps
  readonly #options: ServeOptions
  readonly #responder: RpcResponder
  readonly #bindings: Bindings
  readonly #requests = new TaskGroup()
  #tags: string[] = []
  #directQueue: string | undefined

  constructor(deps: RpcServerDeps, options: ServeOptions) {
    this.#deps = deps
    this.#options = options
    const { replyQueue } = deps
    this.#responder = new RpcResponder(
      {
        ...deps,
        replyQueue: () => replyQueue.address,
        directQueue: () => this.#directQueue,
      },
      options.handlers,
    )
    const shared = options.queue === 'private' ? [] : [options.queue]
    const keys = [...shared, ...(options.keys ?? [])]
    this.#bindings = new Bindings(keys)
    for (const key of keys) void replyQueue.listen(cancelKey(key))
    this.channel = new RecoveringChannel({
      connection: deps.connection,
      open: plain,
      setup: (channel, restart) => this.#setup(channel, restart),
      // The RPC request queue is bound again periodically, because deleting an exchange also
      // deletes its bindings, without an error for this process.
      reconcile: { everyMs: deps.reconcileMs, run: () => this.#bindings.bindAll() },
      log: deps.log,
      name: `commands (${options.queue})`,
    })
  }

  active(): number {
    return this.#requests.size
  }

  async bind(key: string): Promise<void> {
    await Promise.all([this.#bindings.add(key), this.#deps.replyQueue.listen(cancelKey(key))])
  }

  async unbind(key: string): Promise<void> {
    await Promise.all([this.#bindings.remove(key), this.#deps.replyQueue.unlisten(cancelKey(key))])
  }

  /**
   * Stops the server of RPC requests: takes no more requests and replies to the requests already
   * received. A private queue is unbound before the remaining requests finish, so that later
   * requests fail immediately or reach the next holder of the key.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const channel = this.channel.current
    const graceTimer = setTimeout(() => this.#responder.abortStreams(), streamGraceMs)
    if (this.#options.queue === 'private') {
      const removals = this.#bindings.keys.map((key) => this.#bindings.remove(key))
      await settleWithin(Promise.all(removals), cancelMs)
      await this.#requests.drain()
    }
    this.#directQueue = undefined
    if (channel)
      await settleWithin(Promise.all(this.#tags.map((tag) => channel.cancel(tag))), cancelMs)
    await this.#requests.drain()
    clearTimeout(graceTimer)
    await this.channel.close()
    const { replyQueue } = this.#deps
    await Promise.all(this.#bindings.keys.map((key) => replyQueue.unlisten(cancelKey(key))))
  }

  async #setup(channel: Channel, restart: (reason: string) => void): Promise<void> {
    const { queue: kind, concurrency = defaultConcurrency } = this.#options
    const declareOwn = () => declareOwnQueue(channel, `${this.#deps.name}.commands`)
    const queue = kind === 'private' ? await declareOwn() : await declareSharedQueue(channel, kind)
    await channel.prefetch(concurrency)
    const onMessage = (message: ConsumeMessage | null) =>
      message ? this.#requests.run(this.#take(channel, message)) : restart('queue deleted')
    this.#tags = [(await channel.consume(queue, onMessage)).consumerTag]
    await this.#bindings.attach(channel, queue)
    if (kind === 'private' || !isOnDisk(kind)) return
    const direct = await declareOwn()
    this.#tags.push((await channel.consume(direct, onMessage)).consumerTag)
    this.#directQueue = direct
  }

  async #take(channel: Channel, message: ConsumeMessage): Promise<void> {
    const result = await this.#responder.take(message)
    const { queue } = this.#options
    this.#deps.instruments.consumed(queue === 'private' ? 'commands' : queue, result)
    try {
      channel.ack(message)
    } catch {
      // An error of `ack` is ignored, because the error means that the channel is closed. RabbitMQ
      // delivers the RPC request again, and the requester gets the cached reply.
    }
  }
}
