import type { Channel } from 'amqplib'
import { ignore } from '../payload.ts'
import { declareExchange, exchangeFor } from '../topology.ts'

/**
 * Routing keys to which a RabbitMQ queue of this process is bound. After a reconnect, the new queue
 * is bound to all routing keys again.
 */
export class Bindings {
  readonly #keys: Set<string>
  #attached: { channel: Channel; queue: string } | undefined

  constructor(keys: Iterable<string> = []) {
    this.#keys = new Set(keys)
  }

  get keys(): string[] {
    return [...this.#keys]
  }

  /**
   * Binds a new RabbitMQ queue to all routing keys. Keys that are added later are bound to this
   * queue, too.
   */
  async attach(channel: Channel, queue: string): Promise<void> {
    this.#attached = { channel, queue }
    await this.bindAll()
  }

  /**
   * Binds the RabbitMQ queue to all routing keys again, in case an exchange or a binding was
   * deleted.
   */
  async bindAll(): Promise<void> {
    const attached = this.#attached
    if (!attached) return
    const { channel, queue } = attached
    // Binding requests are sent to RabbitMQ without waiting for replies, because AMQP processes the
    // methods of a channel in order.
    await Promise.all([
      ...[...new Set(this.keys.map(exchangeFor))].map((name) => declareExchange(channel, name)),
      ...this.keys.map((key) => channel.bindQueue(queue, exchangeFor(key), key)),
    ])
  }

  // If a binding of the RabbitMQ queue fails, RabbitMQ closes the channel. `attach` then binds the
  // queue of the next channel to the current routing keys.

  async add(key: string): Promise<void> {
    this.#keys.add(key)
    const attached = this.#attached
    if (!attached) return
    const exchange = exchangeFor(key)
    await Promise.all([
      declareExchange(attached.channel, exchange),
      attached.channel.bindQueue(attached.queue, exchange, key),
    ]).catch(ignore)
  }

  async remove(key: string): Promise<void> {
    this.#keys.delete(key)
    const attached = this.#attached
    await attached?.channel.unbindQueue(attached.queue, exchangeFor(key), key).catch(ignore)
  }
}
