import type { Channel } from 'amqplib'
import { ignore } from '../payload.ts'
import { declareExchange, exchangeFor } from '../topology.ts'

/** Routing keys that a RabbitMQ queue of this process is bound to. Reapplied to each new queue. */
export class Bindings {
  readonly #keys: Set<string>
  #attached: { channel: Channel; queue: string } | undefined

  constructor(keys: Iterable<string> = []) {
    this.#keys = new Set(keys)
  }

  get keys(): string[] {
    return [...this.#keys]
  }

  /** Binds a new queue to all routing keys, and to keys added later. */
  async attach(channel: Channel, queue: string): Promise<void> {
    this.#attached = { channel, queue }
    await this.bindAll()
  }

  /** Repeats all bindings of the queue, in case an exchange or a binding was deleted. */
  async bindAll(): Promise<void> {
    const attached = this.#attached
    if (!attached) return
    const { channel, queue } = attached
    // Bindings of the queue are pipelined: AMQP processes the methods of a channel in order.
    await Promise.all([
      ...[...new Set(this.keys.map(exchangeFor))].map((name) => declareExchange(channel, name)),
      ...this.keys.map((key) => channel.bindQueue(queue, exchangeFor(key), key)),
    ])
  }

  // A failed binding of a queue closes the channel. The next channel is bound to the keys of that
  // time.

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
