import type { BrokerUse } from '@posthorn/contracts/broker-access'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { Semaphore } from '@posthorn/flow'
import { activeTrace, type Logger } from '@posthorn/telemetry'
import type { ConfirmChannel } from 'amqplib'
import { confirming, RecoveringChannel } from '../connection/recovering-channel.ts'
import type { RecoveringConnection } from '../connection/recovering-connection.ts'
import type { Instruments } from '../instruments.ts'
import { ignore } from '../payload.ts'
import { declareTopology } from '../topology.ts'

/** Maximum number of bus messages that are published and not yet confirmed by RabbitMQ. */
const maxUnconfirmed = 256
const publishTimeoutMs = 5_000

export interface OutgoingMessage {
  exchange: string
  key: string
  content: Buffer
  persistent: boolean
  /** True if publishing should succeed even if no queue receives the bus message. */
  optional?: boolean
  messageId?: string
  type?: string
  headers?: Readonly<Record<string, string | readonly string[]>>
  /**
   * RabbitMQ user of this process. The broker verifies that published messages come from this user.
   */
  userId?: string
  /** Milliseconds after which RabbitMQ drops a bus message that was not consumed. */
  expiration?: string
}

export interface PublisherDeps {
  connection: RecoveringConnection
  log: Logger
  instruments: Instruments
  onChange: () => void
  use: BrokerUse
  /** Interval at which exchanges, queues and bindings are declared again at RabbitMQ. */
  reconcileMs: number
}

/**
 * Publisher of bus messages with publisher confirms. When a publish call resolves, a RabbitMQ queue
 * holds the message. A persistent message is then on disk.
 */
export class Publisher {
  readonly channel: RecoveringChannel<ConfirmChannel>
  readonly #deps: PublisherDeps
  readonly #window = new Semaphore(maxUnconfirmed)
  readonly #unconfirmed = new Set<string>()
  readonly #returned = new Set<string>()
  #serial = 0
  #repairing = false

  constructor(deps: PublisherDeps) {
    this.#deps = deps
    this.channel = new RecoveringChannel({
      connection: deps.connection,
      open: confirming,
      setup: (channel) => this.#setup(channel),
      reconcile: {
        everyMs: deps.reconcileMs,
        run: (channel) => declareTopology(channel, deps.use),
      },
      onChange: deps.onChange,
      log: deps.log,
      name: 'publish',
    })
  }

  /**
   * Publishes a bus message. Rejects with `unavailable` within 5 s if the broker is down, blocked
   * or slow, or if no queue receives the message. After a timeout the message may still arrive, so
   * consumers must tolerate repeated messages.
   */
  async publish(message: OutgoingMessage): Promise<void> {
    try {
      await this.#publish(message)
      this.#deps.instruments.published(message.exchange, 'confirmed')
    } catch (error) {
      const unroutable = error instanceof UnroutableError
      this.#deps.instruments.published(message.exchange, unroutable ? 'unroutable' : 'failed')
      throw new AppError('unavailable', 'RabbitMQ did not accept the message', { cause: error })
    }
  }

  /**
   * Waits at most 5 s for outstanding confirmations of bus messages, then closes the RabbitMQ
   * channel.
   */
  async close(): Promise<void> {
    await this.#window.acquireAll(AbortSignal.timeout(publishTimeoutMs)).catch(ignore)
    await this.channel.close()
  }

  async #setup(channel: ConfirmChannel): Promise<void> {
    // RabbitMQ returns a bus message that it cannot route, and confirms the message afterwards.
    channel.on('return', ({ properties }) => {
      const id = String(properties.correlationId)
      if (this.#unconfirmed.has(id)) this.#returned.add(id)
    })
    await declareTopology(channel, this.#deps.use)
  }

  async #publish(message: OutgoingMessage): Promise<void> {
    const { connection } = this.#deps
    if (!connection.connected.isOpen) throw new Error('not connected')
    const timeout = AbortSignal.timeout(publishTimeoutMs)
    using _permit = this.#window.tryAcquire() ?? (await this.#window.acquire(timeout))
    await connection.unblocked.whenOpen(timeout)
    await this.#confirmed(await this.channel.whenReady(timeout), message, timeout)
  }

  #confirmed(
    channel: ConfirmChannel,
    message: OutgoingMessage,
    timeout: AbortSignal,
  ): Promise<void> {
    const { exchange, key, content, persistent, optional, headers, ...rest } = message
    const correlationId = String((this.#serial += 1))
    const confirmation = Promise.withResolvers<void>()
    const onTimeout = () => {
      confirmation.reject(timeout.reason)
      // After a publish call has timed out, the RabbitMQ channel is replaced, because amqplib keeps
      // an unconfirmed bus message in memory until its channel is closed.
      this.channel.replace(channel, 'confirmation timed out')
    }
    this.#unconfirmed.add(correlationId)
    timeout.addEventListener('abort', onTimeout, { once: true })
    const properties = {
      mandatory: true,
      persistent,
      contentType: 'application/json',
      correlationId,
      headers: { ...headers, ...activeTrace() },
      ...rest,
    }
    try {
      channel.publish(exchange, key, content, defined(properties), (error: unknown) => {
        if (error) return confirmation.reject(error)
        const unroutable = this.#returned.has(correlationId) && !optional
        if (unroutable) confirmation.reject(this.#unroutable(channel, exchange, key))
        else confirmation.resolve()
      })
    } catch (error) {
      confirmation.reject(error) // The RabbitMQ channel was closed concurrently.
    }
    return confirmation.promise.finally(() => {
      timeout.removeEventListener('abort', onTimeout)
      this.#unconfirmed.delete(correlationId)
      this.#returned.delete(correlationId)
    })
  }

  /**
   * Returns the error for a bus message that no queue received, because a queue or binding was
   * deleted. Also declares queues and bindings again, so that a retry succeeds.
   */
  #unroutable(channel: ConfirmChannel, exchange: string, key: string): Error {
    if (!this.#repairing) {
      this.#repairing = true
      const onSettled = () => (this.#repairing = false)
      declareTopology(channel, this.#deps.use).then(onSettled, onSettled)
    }
    return new UnroutableError(`no queue takes ${key} of exchange '${exchange}'`)
  }
}

class UnroutableError extends Error {}
