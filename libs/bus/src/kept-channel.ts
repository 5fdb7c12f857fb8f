import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib'
import { backoffMs } from './backoff.ts'
import type { Link } from './link.ts'
import { atMost, ignore, Latch, orAbort } from './waiting.ts'

/** A channel that lasted less counts as one more failure. */
const healthyMs = 10_000
const closeMs = 2_000

export interface KeptChannelOptions<C extends Channel> {
  link: Pick<Link, 'model' | 'up'>
  open: (model: ChannelModel) => Promise<C>
  /**
   * Declares and consumes; run on every new channel. `restart` throws the channel away and begins anew: for what the broker tells by
   * other means than closing it.
   */
  setup: (channel: C, restart: (reason: string) => void) => Promise<void>
  /** Repeated from time to time on a channel that works, for what can vanish without anybody being told, such as bindings. */
  heal?: { everyMs: number; run: (channel: C) => Promise<unknown> }
  /** After every gain and loss. */
  changed?: (ready: boolean) => void
  log: Logger
  /** What the channel is for, in the log. */
  what: string
}

export function plain(model: ChannelModel): Promise<Channel> {
  return model.createChannel()
}

export function confirming(model: ChannelModel): Promise<ConfirmChannel> {
  return model.createConfirmChannel()
}

/** A channel with all that was set up on it, made again after every loss of the channel or its connection. */
export class KeptChannel<C extends Channel> {
  readonly ready = new Latch()
  /** Resolves when the first try has succeeded or failed; at once when the broker is down. Later tries go on by themselves. */
  readonly firstTry: Promise<void>
  readonly #options: KeptChannelOptions<C>
  readonly #stop = new AbortController()
  readonly #tried = Promise.withResolvers<void>()
  readonly #done: Promise<void>
  #current: C | undefined
  #restart: ((reason: string) => void) | undefined

  constructor(options: KeptChannelOptions<C>) {
    this.#options = options
    if (!options.link.up.isOpen) this.#tried.resolve()
    this.firstTry = this.#tried.promise
    this.#done = this.#run()
  }

  /** The channel while it is set up. */
  get current(): C | undefined {
    return this.#current
  }

  /** Rejects with the signal's reason. */
  async channel(signal: AbortSignal): Promise<C> {
    for (;;) {
      if (this.#current) return this.#current
      await this.ready.whenOpen(signal)
    }
  }

  /** Throws this channel away, unless that has happened by now, and makes another. */
  renew(channel: C, reason: string): void {
    if (channel === this.#current) this.#restart?.(reason)
  }

  async close(): Promise<void> {
    const channel = this.#current
    this.#stop.abort(new Error('closing'))
    if (channel) await atMost(closeMs, channel.close())
    await atMost(closeMs, this.#done)
  }

  async #run(): Promise<void> {
    const { link, log, what } = this.#options
    const { signal } = this.#stop
    for (let failures = 0; !signal.aborted;) {
      const model = await link.model(signal).catch(ignore)
      if (!model) return
      const started = Date.now()
      const reason = await this.#live(model).catch((error: unknown) => error)
      this.#tried.resolve()
      if (signal.aborted) return
      if (!link.up.isOpen || Date.now() - started > healthyMs) failures = 0
      if (!link.up.isOpen) continue // said once, for the connection
      if (failures === 0)
        log.warn(
          { channel: what, reason: messageOf(reason) },
          'a channel was lost; it is made again',
        )
      await delay(backoffMs(failures), undefined, { signal }).catch(ignore)
      failures += 1
    }
  }

  /** One channel, from its beginning to its end. Returns why it ended. */
  async #live(model: ChannelModel): Promise<unknown> {
    const channel = await this.#options.open(model)
    const ended = Promise.withResolvers<unknown>()
    let reason: unknown = 'closed'
    channel.on('error', (error) => (reason = error))
    channel.once('close', () => ended.resolve(reason))
    const restart = (why: string) => {
      reason = why
      channel.close().catch(ignore)
    }
    try {
      await this.#options.setup(channel, restart)
    } catch (error) {
      channel.close().catch(ignore)
      throw error
    }
    if (this.#stop.signal.aborted) {
      await atMost(closeMs, channel.close())
      return undefined
    }
    this.#current = channel
    this.#restart = restart
    this.ready.open()
    this.#options.changed?.(true)
    this.#tried.resolve()
    const healing = this.#keepHealing(channel)
    try {
      return await orAbort(ended.promise, this.#stop.signal)
    } finally {
      clearInterval(healing)
      this.#current = undefined
      this.ready.close()
      this.#options.changed?.(false)
    }
  }

  #keepHealing(channel: C): NodeJS.Timeout | undefined {
    const { heal } = this.#options
    if (!heal) return undefined
    // A failure closes the channel, and that begins everything anew.
    return setInterval(() => void heal.run(channel).catch(ignore), heal.everyMs).unref()
  }
}
