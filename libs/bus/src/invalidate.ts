import { Invalidation, matches } from '@posthorn/contracts'
import type { Logger } from '@posthorn/telemetry'
import type { Channel, ConsumeMessage } from 'amqplib'
import { KeptChannel, plain } from './kept-channel.ts'
import type { Link } from './link.ts'
import { declareExchange, declareOwnQueue, exchanges } from './topology.ts'
import { decode } from './wire.ts'

const topics = Invalidation.properties.topic.anyOf.map(({ const: topic }) => topic)

export interface InvalidationsDeps {
  link: Link
  log: Logger
  name: string
  reconcileMs: number
}

type Listener = (message: Invalidation) => void

/** Hears of what changed, by a queue of this process, from the first listener on. */
export class Invalidations {
  readonly #deps: InvalidationsDeps
  readonly #listeners = new Set<Listener>()
  #kept: KeptChannel<Channel> | undefined
  #queue = ''

  constructor(deps: InvalidationsDeps) {
    this.#deps = deps
  }

  async add(listener: Listener): Promise<AsyncDisposable> {
    // An object of its own, so that the same function may listen twice.
    const entry: Listener = (message) => listener(message)
    this.#listeners.add(entry)
    this.#kept ??= this.#open()
    await this.#kept.firstTry
    return { [Symbol.asyncDispose]: async () => void this.#listeners.delete(entry) }
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    await this.#kept?.close()
  }

  #open(): KeptChannel<Channel> {
    const { link, log, reconcileMs } = this.#deps
    // Without a connection, what was kept in memory until the first one came may be stale by then.
    let missed = !link.up.isOpen
    return new KeptChannel({
      link,
      open: plain,
      setup: (channel, restart) => this.#setup(channel, restart),
      heal: {
        everyMs: reconcileMs,
        run: (channel) => channel.bindQueue(this.#queue, exchanges.invalidate, ''),
      },
      changed: (ready) => {
        if (!ready) missed = true
        else if (missed) for (const topic of topics) this.#tell({ topic })
      },
      log,
      what: 'invalidate',
    })
  }

  async #setup(channel: Channel, restart: (reason: string) => void): Promise<void> {
    await declareExchange(channel, 'invalidate')
    this.#queue = await declareOwnQueue(channel, `${this.#deps.name}.invalidate`)
    await channel.bindQueue(this.#queue, exchanges.invalidate, '')
    const take = (message: ConsumeMessage | null) => {
      if (!message) return restart('queue deleted')
      const invalidation = decode(message.content)
      if (matches(Invalidation, invalidation)) this.#tell(invalidation)
    }
    await channel.consume(this.#queue, take, { noAck: true })
  }

  #tell(message: Invalidation): void {
    for (const listener of this.#listeners) {
      try {
        listener(message)
      } catch (err) {
        this.#deps.log.error({ err, topic: message.topic }, 'a listener for invalidations failed')
      }
    }
  }
}
