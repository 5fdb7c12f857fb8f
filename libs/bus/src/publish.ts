import type { BrokerUse } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { activeTrace, type Logger } from '@posthorn/telemetry'
import type { ConfirmChannel } from 'amqplib'
import type { Instruments } from './instruments.ts'
import { confirming, KeptChannel } from './kept-channel.ts'
import type { Link } from './link.ts'
import { declareTopology } from './topology.ts'
import { ignore, Slots } from './waiting.ts'

/** Messages on their way whose confirmation is not there yet. */
const windowMessages = 256
const publishTimeoutMs = 5_000

export interface Outgoing {
  exchange: string
  key: string
  content: Buffer
  persistent: boolean
  /** Nobody need take it. */
  optional?: boolean
  messageId?: string
  type?: string
}

export interface PublisherDeps {
  link: Link
  log: Logger
  instruments: Instruments
  changed: () => void
  use: BrokerUse
  /** How often exchanges, queues and bindings are declared anew on a channel that works. */
  reconcileMs: number
}

/** Publishes with confirmation: resolved means that the broker has it in a queue, for persistent messages on disk. */
export class Publisher {
  readonly kept: KeptChannel<ConfirmChannel>
  readonly #deps: PublisherDeps
  readonly #slots = new Slots(windowMessages)
  readonly #underway = new Set<string>()
  readonly #returned = new Set<string>()
  #serial = 0
  #repairing = false

  constructor(deps: PublisherDeps) {
    this.#deps = deps
    this.kept = new KeptChannel({
      link: deps.link,
      open: confirming,
      setup: (channel) => this.#setup(channel),
      heal: { everyMs: deps.reconcileMs, run: (channel) => declareTopology(channel, deps.use) },
      changed: deps.changed,
      log: deps.log,
      what: 'publish',
    })
  }

  /**
   * Rejects `unavailable` within 5 s when the broker is down, blocked or slow, and when no queue takes the message. It may have
   * arrived all the same if it was slowness: publish it again, and let the readers bear a repeat.
   */
  async publish(message: Outgoing): Promise<void> {
    try {
      await this.#publish(message)
      this.#deps.instruments.published(message.exchange, 'confirmed')
    } catch (error) {
      const unroutable = error instanceof Unroutable
      this.#deps.instruments.published(message.exchange, unroutable ? 'unroutable' : 'failed')
      throw new AppError('unavailable', 'The message could not be handed to RabbitMQ', {
        cause: error,
      })
    }
  }

  /** Waits for what is on its way, and closes. */
  async close(): Promise<void> {
    await this.#slots.takeAll(AbortSignal.timeout(publishTimeoutMs)).catch(ignore)
    await this.kept.close()
  }

  async #setup(channel: ConfirmChannel): Promise<void> {
    // The return comes before the confirmation of the same message.
    channel.on('return', ({ properties }) => {
      const id = String(properties.correlationId)
      if (this.#underway.has(id)) this.#returned.add(id)
    })
    await declareTopology(channel, this.#deps.use)
  }

  async #publish(message: Outgoing): Promise<void> {
    const { link } = this.#deps
    if (!link.up.isOpen) throw new Error('not connected')
    const overdue = AbortSignal.timeout(publishTimeoutMs)
    await this.#slots.take(overdue)
    try {
      await link.free.whenOpen(overdue)
      await this.#confirmed(await this.kept.channel(overdue), message, overdue)
    } finally {
      this.#slots.release()
    }
  }

  #confirmed(channel: ConfirmChannel, message: Outgoing, overdue: AbortSignal): Promise<void> {
    const { exchange, key, content, persistent, messageId, type } = message
    const correlationId = String((this.#serial += 1))
    const outcome = Promise.withResolvers<void>()
    const late = () => {
      outcome.reject(overdue.reason)
      // amqplib never forgets a message that is not confirmed; with the channel it does.
      this.kept.renew(channel, 'confirmations are overdue')
    }
    this.#underway.add(correlationId)
    overdue.addEventListener('abort', late, { once: true })
    const options = {
      mandatory: true,
      persistent,
      contentType: 'application/json',
      correlationId,
      headers: activeTrace(),
      ...(messageId === undefined ? {} : { messageId }),
      ...(type === undefined ? {} : { type }),
    }
    try {
      channel.publish(exchange, key, content, options, (error: unknown) => {
        if (error) return outcome.reject(error)
        const lost = this.#returned.has(correlationId) && !message.optional
        if (lost) outcome.reject(this.#unroutable(channel, exchange, key))
        else outcome.resolve()
      })
    } catch (error) {
      outcome.reject(error) // the channel closed under our hands
    }
    return outcome.promise.finally(() => {
      overdue.removeEventListener('abort', late)
      this.#underway.delete(correlationId)
      this.#returned.delete(correlationId)
    })
  }

  /** Somebody deleted a queue or a binding: what belongs there is declared anew, for the next try. */
  #unroutable(channel: ConfirmChannel, exchange: string, key: string): Error {
    if (!this.#repairing) {
      this.#repairing = true
      const done = () => (this.#repairing = false)
      declareTopology(channel, this.#deps.use).then(done, done)
    }
    return new Unroutable(`no queue takes ${key} of exchange '${exchange}'`)
  }
}

class Unroutable extends Error {}
