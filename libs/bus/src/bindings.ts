import type { Channel } from 'amqplib'
import { declareExchange, exchangeFor } from './topology.ts'
import { ignore } from './waiting.ts'

/** The keys of questions that a queue is bound to, remembered for the next channel and queue. */
export class Bindings {
  readonly #keys: Set<string>
  #live: { channel: Channel; queue: string } | undefined

  constructor(keys: Iterable<string> = []) {
    this.#keys = new Set(keys)
  }

  get keys(): string[] {
    return [...this.#keys]
  }

  /** Binds a fresh queue to all keys, and to those that come later. */
  async attach(channel: Channel, queue: string): Promise<void> {
    this.#live = { channel, queue }
    await this.bindAll()
  }

  /** Again, in case a binding or an exchange vanished. */
  async bindAll(): Promise<void> {
    const live = this.#live
    if (!live) return
    // Sent in this order without waiting for the answers one by one.
    await Promise.all([
      ...[...new Set(this.keys.map(exchangeFor))].map((name) =>
        declareExchange(live.channel, name),
      ),
      ...this.keys.map((key) => live.channel.bindQueue(live.queue, exchangeFor(key), key)),
    ])
  }

  // What fails below closes the channel, and the next one is bound to the keys as they are then.

  async add(key: string): Promise<void> {
    this.#keys.add(key)
    const live = this.#live
    if (!live) return
    const exchange = exchangeFor(key)
    await Promise.all([
      declareExchange(live.channel, exchange),
      live.channel.bindQueue(live.queue, exchange, key),
    ]).catch(ignore)
  }

  async remove(key: string): Promise<void> {
    this.#keys.delete(key)
    await this.#live?.channel.unbindQueue(this.#live.queue, exchangeFor(key), key).catch(ignore)
  }
}
