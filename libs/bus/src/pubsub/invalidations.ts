import { Invalidation } from '@posthorn/contracts/hints'
import { matches } from '@posthorn/contracts/validate'
import type { Logger } from '@posthorn/telemetry'
import type { Channel, ConsumeMessage } from 'amqplib'
import { plain, RecoveringChannel } from '../connection/recovering-channel.ts'
import type { RecoveringConnection } from '../connection/recovering-connection.ts'
import { decode } from '../payload.ts'
import { declareExchange, declareOwnQueue, exchanges } from '../topology.ts'

const topics = Invalidation.properties.topic.anyOf.map(({ const: topic }) => topic)

export interface InvalidationsDeps {
  connection: RecoveringConnection
  log: Logger
  /** Service name, with which the name of the invalidation queue begins. */
  name: string
  reconcileMs: number
}

type Listener = (message: Invalidation) => void

/**
 * Receiver of invalidations, which are broadcasts that a cached thing changed. The first listener
 * makes the receiver create its RabbitMQ queue.
 */
export class Invalidations {
  readonly #deps: InvalidationsDeps
  readonly #listeners = new Set<Listener>()
  #channel: RecoveringChannel<Channel> | undefined
  #queue = ''

  constructor(deps: InvalidationsDeps) {
    this.#deps = deps
  }

  async add(listener: Listener): Promise<AsyncDisposable> {
    // Each call wraps the listener for invalidations (broadcasts about changed values) in a new
    // function, so that the same listener can be added twice.
    const entry: Listener = (message) => listener(message)
    this.#listeners.add(entry)
    this.#channel ??= this.#open()
    await this.#channel.firstAttempt
    return { [Symbol.asyncDispose]: async () => void this.#listeners.delete(entry) }
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    await this.#channel?.close()
  }

  #open(): RecoveringChannel<Channel> {
    const { connection, log, reconcileMs } = this.#deps
    // If RabbitMQ is not connected yet, invalidations may be missed until the connection is
    // established, and cached values may then be stale.
    let missed = !connection.connected.isOpen
    return new RecoveringChannel({
      connection,
      open: plain,
      setup: (channel, restart) => this.#setup(channel, restart),
      reconcile: {
        everyMs: reconcileMs,
        run: (channel) => channel.bindQueue(this.#queue, exchanges.invalidate, ''),
      },
      onChange: (ready) => {
        if (!ready) missed = true
        else if (missed) for (const topic of topics) this.#notify({ topic })
      },
      log,
      name: 'invalidate',
    })
  }

  async #setup(channel: Channel, restart: (reason: string) => void): Promise<void> {
    await declareExchange(channel, 'invalidate')
    this.#queue = await declareOwnQueue(channel, `${this.#deps.name}.invalidate`)
    await channel.bindQueue(this.#queue, exchanges.invalidate, '')
    const onMessage = (message: ConsumeMessage | null) => {
      if (!message) return restart('queue deleted')
      const invalidation = decode(message.content)
      if (matches(Invalidation, invalidation)) this.#notify(invalidation)
    }
    await channel.consume(this.#queue, onMessage, { noAck: true })
  }

  #notify(message: Invalidation): void {
    for (const listener of this.#listeners) {
      try {
        listener(message)
      } catch (err) {
        this.#deps.log.error({ err, topic: message.topic }, 'invalidation listener failed')
      }
    }
  }
}
