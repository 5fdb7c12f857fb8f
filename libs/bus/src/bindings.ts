import type { Channel } from 'amqplib'
import { ignore } from './waiting.ts'

/** The keys that a queue is bound to on one exchange, remembered for the next channel and queue. */
export class Bindings {
  readonly #exchange: string
  readonly #keys: Set<string>
  #live: { channel: Channel; queue: string } | undefined

  constructor(exchange: string, keys: Iterable<string> = []) {
    this.#exchange = exchange
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

  /** Again, in case a binding vanished. */
  async bindAll(): Promise<void> {
    const live = this.#live
    if (!live) return
    await Promise.all(
      this.keys.map((key) => live.channel.bindQueue(live.queue, this.#exchange, key)),
    )
  }

  // What fails below closes the channel, and the next one is bound to the keys as they are then.

  async add(key: string): Promise<void> {
    this.#keys.add(key)
    await this.#live?.channel.bindQueue(this.#live.queue, this.#exchange, key).catch(ignore)
  }

  async remove(key: string): Promise<void> {
    this.#keys.delete(key)
    await this.#live?.channel.unbindQueue(this.#live.queue, this.#exchange, key).catch(ignore)
  }
}
