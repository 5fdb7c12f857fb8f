import { matches } from '@posthorn/contracts/validate'
import { AppError, isPermanent } from '@posthorn/errors'
import { backoff, settleWithin, sleep, TaskGroup } from '@posthorn/flow'
import { inSpan, type Logger } from '@posthorn/telemetry'
import type { Channel, ConsumeMessage } from 'amqplib'
import type { TSchema } from 'typebox'
import type { ConsumeOptions } from '../bus.ts'
import { plain, RecoveringChannel } from '../connection/recovering-channel.ts'
import type { RecoveringConnection } from '../connection/recovering-connection.ts'
import type { Instruments } from '../instruments.ts'
import { decode, headerNumber, ignore, traceOf } from '../payload.ts'
import { declareWorkQueue } from '../topology.ts'

const byAttempt = backoff({ baseMs: 100, maxMs: 5_000 })

/**
 * Default delay before a failed bus message returns to its queue, depending on the number of its
 * redeliveries.
 */
export function defaultRedeliveryDelayMs(redeliveries: number): number {
  return byAttempt(redeliveries + 1)
}

const cancelMs = 2_000

export interface ConsumerDeps {
  connection: Pick<RecoveringConnection, 'whenConnected' | 'connected'>
  log: Logger
  instruments: Instruments
  reconcileMs: number
}

/**
 * Result of processing a bus message: acknowledged, requeued or dead-lettered. Values of a metric
 * label.
 */
type DeliveryResult = 'done' | 'again' | 'dead'

/**
 * Consumer of a work queue in RabbitMQ. The result of the handler decides whether a bus message is
 * acknowledged, redelivered or dead-lettered.
 */
export class Consumer<S extends TSchema> implements AsyncDisposable {
  readonly channel: RecoveringChannel<Channel>
  readonly #deps: ConsumerDeps
  readonly #options: ConsumeOptions<S>
  readonly #stop = new AbortController()
  readonly #deliveries = new TaskGroup()
  #tag: string | undefined

  constructor(deps: ConsumerDeps, options: ConsumeOptions<S>) {
    this.#deps = deps
    this.#options = options
    this.channel = new RecoveringChannel({
      connection: deps.connection,
      open: plain,
      setup: (channel, restart) => this.#setup(channel, restart),
      reconcile: {
        everyMs: deps.reconcileMs,
        run: (channel) => declareWorkQueue(channel, options.queue),
      },
      log: deps.log,
      name: options.queue,
    })
  }

  active(): number {
    return this.#deliveries.size
  }

  /**
   * Stops consuming the work queue and waits for running handlers, so that their bus messages are
   * acknowledged or requeued.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    const channel = this.channel.current
    if (channel && this.#tag !== undefined) await settleWithin(channel.cancel(this.#tag), cancelMs)
    await this.#deliveries.drain()
    await this.channel.close()
  }

  async #setup(channel: Channel, restart: (reason: string) => void): Promise<void> {
    const { queue, prefetch } = this.#options
    await declareWorkQueue(channel, queue)
    await channel.prefetch(prefetch)
    // RabbitMQ sends null instead of a message when it cancels the consumer, because the queue was
    // deleted or lost its leader.
    const onMessage = (message: ConsumeMessage | null) =>
      message
        ? this.#deliveries.run(this.#deliver(channel, message))
        : restart('cancelled by the broker')
    this.#tag = (await channel.consume(queue, onMessage)).consumerTag
  }

  async #deliver(channel: Channel, message: ConsumeMessage): Promise<void> {
    const { queue, redeliveryDelayMs = defaultRedeliveryDelayMs } = this.#options
    const result = await this.#handle(message)
    if (result === 'again') {
      const redeliveries =
        headerNumber(message, 'x-delivery-count') ?? Number(message.fields.redelivered)
      // A failed bus message is requeued after a delay. Until then the message counts towards the
      // prefetch limit, which throttles a queue whose messages always fail.
      await sleep(redeliveryDelayMs(redeliveries), this.#stop.signal).catch(ignore)
    }
    this.#deps.instruments.consumed(queue, result)
    try {
      if (result === 'done') channel.ack(message)
      else channel.nack(message, false, result === 'again')
    } catch {
      // An error of `ack` or `nack` is ignored, because it means that the channel is closed.
      // RabbitMQ then delivers the bus message again.
    }
  }

  async #handle(message: ConsumeMessage): Promise<DeliveryResult> {
    const { queue, schema, handle } = this.#options
    try {
      const payload = decode(message.content)
      if (!matches(schema, payload))
        throw new AppError('invalid', 'Message does not match its schema')
      const { redelivered } = message.fields
      await inSpan(`process ${queue}`, traceOf(message), () => handle({ payload, redelivered }))
      return 'done'
    } catch (err) {
      const { messageId } = message.properties
      if (isPermanent(err)) {
        this.#deps.log.error({ err, queue, messageId }, 'bus message dead-lettered')
        return 'dead'
      }
      this.#deps.log.warn({ err, queue, messageId }, 'bus message failed, will be redelivered')
      return 'again'
    }
  }
}
