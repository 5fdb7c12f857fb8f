import { messageOf } from '@posthorn/errors'
import { abortable, Latch, settleWithin, sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib'
import { ignore } from '../payload.ts'
import { hasEnded, reconnectDelayMs, type RecoveringConnection } from './recovering-connection.ts'

/**
 * Minimum duration of a healthy RabbitMQ channel. A channel that lasted for less time counts as
 * failed, so that the delay before the next channel grows.
 */
const healthyMs = 10_000
const closeMs = 2_000

export interface RecoveringChannelOptions<C extends Channel> {
  connection: Pick<RecoveringConnection, 'whenConnected' | 'connected'>
  open: (model: ChannelModel) => Promise<C>
  /**
   * Function that declares queues and bindings and starts consumers on a new channel. Its argument
   * `restart` replaces the channel after failures that RabbitMQ reports without closing the
   * channel.
   */
  setup: (channel: C, restart: (reason: string) => void) => Promise<void>
  /**
   * Function that periodically repairs RabbitMQ state that can vanish without an error, such as
   * bindings.
   */
  reconcile?: { everyMs: number; run: (channel: C) => Promise<unknown> }
  /**
   * Called with true when the RabbitMQ channel becomes ready, and with false when the channel is
   * lost.
   */
  onChange?: (ready: boolean) => void
  log: Logger
  /** Purpose of the RabbitMQ channel as text, for the log. */
  name: string
}

export function plain(model: ChannelModel): Promise<Channel> {
  return model.createChannel()
}

export function confirming(model: ChannelModel): Promise<ConfirmChannel> {
  return model.createConfirmChannel()
}

/**
 * RabbitMQ channel that is opened and set up again after each loss of the channel or its
 * connection.
 */
export class RecoveringChannel<C extends Channel> {
  readonly ready = new Latch()
  /**
   * Promise that resolves when the first attempt to open the RabbitMQ channel has succeeded or
   * failed. Resolves immediately while the broker is down. Further attempts follow automatically.
   */
  readonly firstAttempt: Promise<void>
  readonly #options: RecoveringChannelOptions<C>
  readonly #stop = new AbortController()
  readonly #attempted = Promise.withResolvers<void>()
  readonly #finished: Promise<void>
  #current: C | undefined
  #restart: ((reason: string) => void) | undefined

  constructor(options: RecoveringChannelOptions<C>) {
    this.#options = options
    if (!options.connection.connected.isOpen) this.#attempted.resolve()
    this.firstAttempt = this.#attempted.promise
    this.#finished = this.#run()
  }

  /** RabbitMQ channel, or undefined until the setup of the channel is complete. */
  get current(): C | undefined {
    return this.#current
  }

  /**
   * Waits until the RabbitMQ channel is ready. Rejects with the reason of `signal` when `signal`
   * aborts.
   */
  async whenReady(signal: AbortSignal): Promise<C> {
    for (;;) {
      if (this.#current) return this.#current
      await this.ready.whenOpen(signal)
    }
  }

  /** Replaces the RabbitMQ channel, unless the channel has already been replaced. */
  replace(channel: C, reason: string): void {
    if (channel === this.#current) this.#restart?.(reason)
  }

  async close(): Promise<void> {
    const channel = this.#current
    this.#stop.abort(new Error('closing'))
    if (channel) await settleWithin(channel.close(), closeMs)
    await settleWithin(this.#finished, closeMs)
  }

  async #run(): Promise<void> {
    const { connection, log, name } = this.#options
    const { signal } = this.#stop
    for (let failures = 0; !signal.aborted;) {
      const model = await connection.whenConnected(signal).catch(ignore)
      if (!model) return
      const started = Date.now()
      const reason = await this.#hold(model).catch((error: unknown) => error)
      this.#attempted.resolve()
      if (signal.aborted) return
      if (!connection.connected.isOpen || Date.now() - started > healthyMs) failures = 0
      // The loss of the RabbitMQ connection is logged once, and not again for each channel.
      if (!connection.connected.isOpen) continue
      if (failures === 0)
        log.warn({ channel: name, reason: messageOf(reason) }, 'channel closed, reopening')
      failures += 1
      await sleep(reconnectDelayMs(failures), signal).catch(ignore)
    }
  }

  /**
   * Opens a RabbitMQ channel, sets the channel up and waits until the channel is closed. Returns
   * the reason of the closure.
   */
  async #hold(model: ChannelModel): Promise<unknown> {
    const channel = await this.#options.open(model)
    const ended = Promise.withResolvers<unknown>()
    let reason: unknown = 'closed'
    channel.on('error', (error) => (reason = error))
    channel.once('close', () => ended.resolve(reason))
    if (hasEnded(model)) return reason
    const restart = (cause: string) => {
      reason = cause
      channel.close().catch(ignore)
    }
    try {
      await this.#options.setup(channel, restart)
    } catch (error) {
      channel.close().catch(ignore)
      throw error
    }
    if (this.#stop.signal.aborted) {
      await settleWithin(channel.close(), closeMs)
      return undefined
    }
    this.#current = channel
    this.#restart = restart
    this.ready.open()
    this.#options.onChange?.(true)
    this.#attempted.resolve()
    const reconciling = this.#startReconciling(channel)
    try {
      return await abortable(ended.promise, this.#stop.signal)
    } finally {
      clearInterval(reconciling)
      this.#current = undefined
      this.ready.close()
      this.#options.onChange?.(false)
    }
  }

  #startReconciling(channel: C): NodeJS.Timeout | undefined {
    const { reconcile } = this.#options
    if (!reconcile) return undefined
    // A failed repair of RabbitMQ state closes the channel. The setup of the next channel then
    // restores the state.
    const run = () => void reconcile.run(channel).catch(ignore)
    return setInterval(run, reconcile.everyMs).unref()
  }
}
