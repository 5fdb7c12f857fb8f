import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import type { Channel, ConsumeMessage } from 'amqplib'
import { Bindings } from '../connection/bindings.ts'
import { plain, RecoveringChannel } from '../connection/recovering-channel.ts'
import type { RecoveringConnection } from '../connection/recovering-connection.ts'
import { declareOwnQueue } from '../topology.ts'

export interface ReplyQueueDeps {
  connection: RecoveringConnection
  log: Logger
  /** Service name, with which the name of the RabbitMQ reply queue begins. */
  name: string
  reconcileMs: number
  receive: (message: ConsumeMessage) => void
  onChange: (ready: boolean) => void
}

/**
 * Exclusive RabbitMQ queue of this process for all RPC frames. As requester, the process receives
 * replies and chunks, and as responder, credit and cancellations. Frames are not acknowledged,
 * because they are worthless after the loss of the connection.
 */
export class ReplyQueue {
  readonly channel: RecoveringChannel<Channel>
  readonly #deps: ReplyQueueDeps
  readonly #bindings = new Bindings()
  #queue: string | undefined

  constructor(deps: ReplyQueueDeps) {
    this.#deps = deps
    this.channel = new RecoveringChannel({
      connection: deps.connection,
      open: plain,
      setup: (channel, restart) => this.#setup(channel, restart),
      reconcile: { everyMs: deps.reconcileMs, run: () => this.#bindings.bindAll() },
      onChange: deps.onChange,
      log: deps.log,
      name: 'reply queue',
    })
  }

  /**
   * Name of the reply queue, in which this process receives RPC frames. The name changes with each
   * reconnect.
   */
  get address(): string | undefined {
    return this.channel.current ? this.#queue : undefined
  }

  /**
   * Binds the reply queue to the routing key `key`. If several processes bind their reply queues,
   * each process receives a copy of every message with the key.
   */
  listen(key: string): Promise<void> {
    return this.#bindings.add(key)
  }

  unlisten(key: string): Promise<void> {
    return this.#bindings.remove(key)
  }

  async #setup(channel: Channel, restart: (reason: string) => void): Promise<void> {
    this.#queue = await declareOwnQueue(channel, `${this.#deps.name}.replies`)
    const onMessage = (message: ConsumeMessage | null) =>
      message ? this.#receive(message) : restart('queue deleted')
    await channel.consume(this.#queue, onMessage, { noAck: true })
    await this.#bindings.attach(channel, this.#queue)
  }

  #receive(message: ConsumeMessage): void {
    try {
      this.#deps.receive(message)
    } catch (error) {
      // Errors of the handler of RPC frames (messages to this process's reply queue) are caught: an
      // uncaught error would close the channel and fail all pending requests.
      this.#deps.log.error(
        { reason: messageOf(error), type: String(message.properties.type) },
        'rpc frame could not be processed',
      )
    }
  }
}
