import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type ChannelModel, connect } from 'amqplib'
import { backoffMs } from './backoff.ts'
import { atMost, ignore, Latch } from './waiting.ts'

/** A dead broker is noticed after two to three of these. */
const heartbeatSeconds = 5
/** For the TCP connection and for each step of the handshake. */
const connectTimeoutMs = 5_000
/** A connection that lasted less counts as one more failure, so that a broker that drops us at once is not stormed. */
const healthyMs = 10_000
const closeMs = 2_000

export interface LinkOptions {
  url: string
  /** Shown in RabbitMQ's list of connections. */
  name: string
  /** After every change of `up` or `free`. */
  changed: () => void
  /** A try to connect failed, or a connection was lost; why. */
  trouble: (reason: unknown) => void
}

/**
 * One connection to RabbitMQ, made again after every loss, for ever.
 *
 * amqplib has a recovery of its own; it has no listener for errors while its set-up runs (a broker that dies in that moment ends the
 * process), repeats that set-up for connections only and not for channels, and loses the reason of a failure. This does all three.
 */
export class Link {
  readonly up = new Latch()
  /** Closed while the broker holds back publishers (memory or disk alarm). */
  readonly free = new Latch()
  readonly #options: LinkOptions
  readonly #stop = new AbortController()
  readonly #done: Promise<void>
  #model: ChannelModel | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    this.free.open()
    this.#done = this.#run()
  }

  /** The connection, as soon as there is one. Rejects with the signal's reason. */
  async model(signal: AbortSignal): Promise<ChannelModel> {
    for (;;) {
      await this.up.whenOpen(signal)
      if (this.#model) return this.#model
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const model = this.#model
    if (model) {
      await atMost(closeMs, model.close())
      destroy(model)
    }
    await atMost(closeMs, this.#done)
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#stop.signal.aborted; failures += 1) {
      const started = Date.now()
      try {
        const reason = await this.#live()
        if (this.#stop.signal.aborted) return
        this.#options.trouble(reason)
        if (Date.now() - started > healthyMs) failures = 0
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#options.trouble(error)
      }
      await delay(backoffMs(failures), undefined, { signal: this.#stop.signal }).catch(ignore)
    }
  }

  /** One connection, from its beginning to its end. Returns why it ended. */
  async #live(): Promise<unknown> {
    const model = await connect(withHeartbeat(this.#options.url), {
      noDelay: true, // else every small message waits 40 ms for the one before
      timeout: connectTimeoutMs,
      clientProperties: { connection_name: this.#options.name },
    })
    const ended = Promise.withResolvers<unknown>()
    let reason: unknown
    model.on('error', (error) => (reason = error))
    model.once('close', (error) => ended.resolve(reason ?? error))
    model.on('blocked', () => this.#change(() => this.free.close()))
    model.on('unblocked', () => this.#change(() => this.free.open()))
    if (this.#stop.signal.aborted) {
      await atMost(closeMs, model.close())
      destroy(model)
      return undefined
    }
    this.#model = model
    this.#change(() => this.up.open())
    try {
      return await ended.promise
    } finally {
      this.#model = undefined
      this.#change(() => {
        this.up.close()
        this.free.open()
      })
      // A peer that is gone never takes our last bytes: without this the socket would stay for as long as the kernel tries.
      setTimeout(() => destroy(model), closeMs).unref()
    }
  }

  #change(apply: () => void): void {
    apply()
    this.#options.changed()
  }
}

/** amqplib reads the heartbeat from the address only. */
function withHeartbeat(url: string): string {
  const address = new URL(url)
  if (!address.searchParams.has('heartbeat'))
    address.searchParams.set('heartbeat', String(heartbeatSeconds))
  return address.href
}

/** The socket is not part of amqplib's types, and there is no other way to let go of one that does not answer. */
function destroy(model: ChannelModel): void {
  const { stream } = model.connection as unknown as { stream: Duplex }
  stream.destroy()
}
