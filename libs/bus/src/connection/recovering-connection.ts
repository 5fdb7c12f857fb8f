import type { Duplex } from 'node:stream'
import { backoff, Latch, settleWithin, sleep } from '@posthorn/flow'
import { type ChannelModel, connect } from 'amqplib'
import { ignore } from '../payload.ts'

/**
 * Delay in milliseconds before the next attempt to connect to RabbitMQ, after n failed attempts. Up
 * to half of the delay is random, so that processes that lost a broker at the same time do not all
 * reconnect at the same time.
 */
export const reconnectDelayMs = backoff({ baseMs: 100, maxMs: 5_000, jitter: 0.5 })

/**
 * Heartbeat interval of RabbitMQ connections. A dead broker is detected after two to three
 * heartbeats.
 */
const heartbeatSeconds = 5
/** Timeout of the TCP connection to RabbitMQ and of each step of the handshake. */
const connectTimeoutMs = 5_000
/**
 * Minimum duration of a healthy RabbitMQ connection. A connection that lasted for less time counts
 * as failed, so that the delay before the next attempt grows.
 */
const healthyMs = 10_000
const closeMs = 2_000

export interface RecoveringConnectionOptions {
  url: string
  /** Name of the RabbitMQ connection, which RabbitMQ shows in its list of connections. */
  name: string
  /** Called after each change of the RabbitMQ connection's members `connected` or `unblocked`. */
  onChange: () => void
  /**
   * Called with the reason when an attempt to connect to RabbitMQ fails or a connection is lost.
   */
  onFailure: (reason: unknown) => void
}

/**
 * Connection to RabbitMQ that is reopened after each loss until `close` is called.
 *
 * The recovery of amqplib 2 itself is not used. It has no error listener during its setup, so a
 * broker that stops at that time ends the process. It repeats the setup for connections, but not
 * for channels. And it loses the reason of a failure.
 */
export class RecoveringConnection {
  readonly connected = new Latch()
  /** Latch that is open unless RabbitMQ blocks publishers because of a memory or disk alarm. */
  readonly unblocked = new Latch()
  readonly #options: RecoveringConnectionOptions
  readonly #stop = new AbortController()
  readonly #finished: Promise<void>
  #model: ChannelModel | undefined

  constructor(options: RecoveringConnectionOptions) {
    this.#options = options
    this.unblocked.open()
    this.#finished = this.#run()
  }

  /**
   * Waits for a connection to RabbitMQ. Rejects with the reason of `signal` when `signal` aborts.
   */
  async whenConnected(signal: AbortSignal): Promise<ChannelModel> {
    for (;;) {
      await this.connected.whenOpen(signal)
      if (this.#model) return this.#model
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const model = this.#model
    if (model) {
      await settleWithin(model.close(), closeMs)
      destroy(model)
    }
    await settleWithin(this.#finished, closeMs)
  }

  async #run(): Promise<void> {
    for (let failures = 1; !this.#stop.signal.aborted; failures += 1) {
      const started = Date.now()
      try {
        const reason = await this.#hold()
        if (this.#stop.signal.aborted) return
        this.#options.onFailure(reason)
        if (Date.now() - started > healthyMs) failures = 1
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#options.onFailure(error)
      }
      await sleep(reconnectDelayMs(failures), this.#stop.signal).catch(ignore)
    }
  }

  /**
   * Opens a connection to RabbitMQ and waits until the connection is closed. Returns the reason of
   * the closure.
   */
  async #hold(): Promise<unknown> {
    const model = await connect(withHeartbeat(this.#options.url), {
      // Without this option, Nagle's algorithm would delay small AMQP frames by up to 40 ms.
      noDelay: true,
      timeout: connectTimeoutMs,
      clientProperties: { connection_name: this.#options.name },
    })
    const ended = Promise.withResolvers<unknown>()
    let reason: unknown
    model.on('error', (error) => (reason = error))
    model.once('close', (error) => ended.resolve(reason ?? error))
    model.on('blocked', () => this.#change(() => this.unblocked.close()))
    model.on('unblocked', () => this.#change(() => this.unblocked.open()))
    if (this.#stop.signal.aborted) {
      await settleWithin(model.close(), closeMs)
      destroy(model)
      return undefined
    }
    if (hasEnded(model)) return new Error('closed by the broker')
    this.#model = model
    this.#change(() => this.connected.open())
    try {
      return await ended.promise
    } finally {
      this.#model = undefined
      this.#change(() => {
        this.connected.close()
        this.unblocked.open()
      })
      // The socket of a closed RabbitMQ connection is destroyed after a delay. An unreachable
      // broker never accepts the last bytes, and the kernel would keep the socket open until its
      // retransmissions time out.
      setTimeout(() => destroy(model), closeMs).unref()
    }
  }

  #change(apply: () => void): void {
    apply()
    this.#options.onChange()
  }
}

/**
 * URL of RabbitMQ with the heartbeat interval as a parameter. amqplib reads the heartbeat interval
 * only from the URL.
 */
function withHeartbeat(url: string): string {
  const address = new URL(url)
  if (!address.searchParams.has('heartbeat'))
    address.searchParams.set('heartbeat', String(heartbeatSeconds))
  return address.href
}

/** Closes the socket of a connection to an unresponsive RabbitMQ broker. */
function destroy(model: ChannelModel): void {
  socketOf(model).destroy()
}

/**
 * True if the RabbitMQ connection has ended. The end may have been missed by event listeners:
 * amqplib can process the end in the same chunk as the handshake, before code that awaits the
 * connection continues.
 */
export function hasEnded(model: ChannelModel): boolean {
  return socketOf(model).writableEnded
}

/** Socket of a RabbitMQ connection. The types of amqplib do not declare the socket. */
function socketOf(model: ChannelModel): Duplex {
  return (model.connection as unknown as { stream: Duplex }).stream
}

/** User name in a RabbitMQ URL. A URL without a user means RabbitMQ's default user. */
export function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username) || 'guest'
}
