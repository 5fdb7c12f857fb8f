import { setTimeout as delay } from 'node:timers/promises'
import { matches } from '@posthorn/contracts'
import { AppError, isPermanent } from '@posthorn/errors'
import { inSpan, type Logger } from '@posthorn/telemetry'
import type { Channel, ConsumeMessage } from 'amqplib'
import type { TSchema } from 'typebox'
import { holdMs } from './backoff.ts'
import type { ConsumeOptions } from './bus.ts'
import { InHand } from './in-hand.ts'
import type { Instruments } from './instruments.ts'
import { KeptChannel, plain } from './kept-channel.ts'
import type { Link } from './link.ts'
import { declareWorkQueue } from './topology.ts'
import { atMost, ignore } from './waiting.ts'
import { decode, headerNumber, traceOf } from './wire.ts'

const cancelMs = 2_000

export interface ConsumerDeps {
  link: Pick<Link, 'model' | 'up'>
  log: Logger
  instruments: Instruments
  reconcileMs: number
}

/** Reads a work queue. What the handler does with a delivery decides what becomes of it. */
export class Consumer<S extends TSchema> implements AsyncDisposable {
  readonly kept: KeptChannel<Channel>
  readonly #deps: ConsumerDeps
  readonly #options: ConsumeOptions<S>
  readonly #stop = new AbortController()
  readonly #inHand = new InHand()
  #tag: string | undefined

  constructor(deps: ConsumerDeps, options: ConsumeOptions<S>) {
    this.#deps = deps
    this.#options = options
    this.kept = new KeptChannel({
      link: deps.link,
      open: plain,
      setup: (channel, restart) => this.#setup(channel, restart),
      heal: {
        everyMs: deps.reconcileMs,
        run: (channel) => declareWorkQueue(channel, options.queue),
      },
      log: deps.log,
      what: options.queue,
    })
  }

  /** Takes no more, waits for the handlers, and settles what they had. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    const channel = this.kept.current
    if (channel && this.#tag !== undefined) await atMost(cancelMs, channel.cancel(this.#tag))
    await this.#inHand.empty()
    await this.kept.close()
  }

  async #setup(channel: Channel, restart: (reason: string) => void): Promise<void> {
    const { queue, prefetch } = this.#options
    await declareWorkQueue(channel, queue)
    await channel.prefetch(prefetch)
    // The broker cancels a consumer with a null: its queue was deleted, or the queue's leader is gone.
    const take = (message: ConsumeMessage | null) =>
      message
        ? this.#inHand.add(this.#deliver(channel, message))
        : restart('cancelled by the broker')
    this.#tag = (await channel.consume(queue, take)).consumerTag
  }

  async #deliver(channel: Channel, message: ConsumeMessage): Promise<void> {
    const { queue } = this.#options
    const outcome = await this.#handle(message)
    if (outcome === 'again') {
      const redeliveries =
        headerNumber(message, 'x-delivery-count') ?? Number(message.fields.redelivered)
      const ms = (this.#options.redeliveryDelayMs ?? holdMs)(redeliveries)
      // It keeps its place in the prefetch meanwhile: a queue whose deliveries all fail is read slowly.
      await delay(ms, undefined, { signal: this.#stop.signal }).catch(ignore)
    }
    this.#deps.instruments.consumed(queue, outcome)
    try {
      if (outcome === 'done') channel.ack(message)
      else channel.nack(message, false, outcome === 'again')
    } catch {
      // The channel is gone: the broker hands the message out again.
    }
  }

  async #handle(message: ConsumeMessage): Promise<'done' | 'again' | 'dead'> {
    const { queue, schema, handle } = this.#options
    try {
      const payload = decode(message.content)
      if (!matches(schema, payload))
        throw new AppError('invalid', 'The message does not match its schema')
      const { redelivered } = message.fields
      await inSpan(`process ${queue}`, traceOf(message), () => handle({ payload, redelivered }))
      return 'done'
    } catch (err) {
      const { messageId } = message.properties
      if (isPermanent(err)) {
        this.#deps.log.error(
          { err, queue, messageId },
          'a message was refused for good and goes to the dead letters',
        )
        return 'dead'
      }
      this.#deps.log.warn(
        { err, queue, messageId },
        'a message could not be processed for now and comes back',
      )
      return 'again'
    }
  }
}
