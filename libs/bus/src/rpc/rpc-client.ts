import type { BrokerUse } from '@posthorn/contracts/broker-access'
import type { Command } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'
import { activeTrace, type Logger } from '@posthorn/telemetry'
import type { Channel, Message } from 'amqplib'
import type { RpcOptions } from '../bus.ts'
import { plain, RecoveringChannel } from '../connection/recovering-channel.ts'
import type { RecoveringConnection } from '../connection/recovering-connection.ts'
import type { Instruments } from '../instruments.ts'
import { encode, headerText } from '../payload.ts'
import { declareExchange, exchangeFor } from '../topology.ts'
import { BrokerMonitor } from './broker-monitor.ts'
import { DirectQueueCache } from './direct-queue-cache.ts'
import type { FramePublisher } from './frame-publisher.ts'
import {
  cancelKey,
  correlationId,
  deadlineExceeded,
  directQueueHeader,
  nonEmptyText,
  noResponder,
} from './frames.ts'
import { directReplyMs, PendingRequest, type Reply } from './pending-request.ts'

/** Longest delay of a timer in Node. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Prefix of the correlation id of a probe, which tests if any responder is bound to the key of a
 * request.
 */
const probePrefix = 'probe '
/**
 * Time before the responders of a request are probed. Most requests get their reply earlier and
 * need no probe.
 */
const probeAfterMs = 250

export interface RpcClientDeps {
  connection: RecoveringConnection
  frames: FramePublisher
  /** Reply queue of this process in RabbitMQ; undefined while it does not exist. */
  replyQueue: () => string | undefined
  log: Logger
  instruments: Instruments
  onChange: () => void
  use: BrokerUse
  /** RabbitMQ user of this process. Sent with every request and verified by the broker. */
  user: string
}

export interface RpcCall {
  command: Command
  request: unknown
  options: RpcOptions
}

/** RPC request ready to be published. */
interface OutgoingRequest {
  pending: PendingRequest
  key: string
  content: Buffer
  headers: Record<string, unknown>
  replyTo: string
  /** Deadline of the request in milliseconds since 1970. */
  deadline: number
}

interface Destination {
  exchange: string
  key: string
  /** Time in which the message of the request must be consumed, else RabbitMQ drops it. */
  expirationMs: number
}

/** Requester side of RPC: sends requests and receives their replies. */
export class RpcClient {
  readonly channel: RecoveringChannel<Channel>
  readonly #deps: RpcClientDeps
  readonly #pending = new Map<string, { request: PendingRequest; key: string }>()
  readonly #directQueues = new DirectQueueCache()
  readonly #monitor = new BrokerMonitor({
    isWaiting: () => this.#pending.size > 0,
    sendEcho: () => this.#sendEcho(),
    onChange: (isSilent) => {
      if (isSilent) this.failAll()
      this.#deps.onChange()
    },
  })

  constructor(deps: RpcClientDeps) {
    this.#deps = deps
    this.channel = new RecoveringChannel({
      connection: deps.connection,
      open: plain,
      setup: (channel) => this.#setup(channel),
      onChange: (ready) => {
        if (!ready) this.failAll()
        this.#monitor.reset()
        deps.onChange()
      },
      log: deps.log,
      name: 'requests',
    })
  }

  /** True while the RabbitMQ broker delivers nothing. Requests fail during that time. */
  get isBrokerSilent(): boolean {
    return this.#monitor.isSilent
  }

  async request(call: RpcCall): Promise<Reply> {
    const { instruments } = this.#deps
    const { name } = call.command
    const started = performance.now()
    const seconds = () => (performance.now() - started) / 1_000
    try {
      const reply = await this.#request(call)
      instruments.requested(name, 'ok', seconds())
      return reply
    } catch (error) {
      instruments.requested(name, error instanceof AppError ? error.kind : 'aborted', seconds())
      throw error
    }
  }

  /** Handles an RPC frame for one of the pending requests. */
  receive(message: Message): void {
    this.#monitor.received()
    const id = correlationId(message)
    const entry = this.#pending.get(id)
    if (entry) {
      const directQueue = headerText(message, directQueueHeader)
      if (directQueue !== undefined) this.#directQueues.set(entry.key, directQueue)
      entry.request.receive(message)
      return
    }
    // A stream that starts after its request ended would occupy the responder until its idle limit.
    const from = nonEmptyText(message.properties.replyTo)
    if (message.properties.type === 'head' && from)
      this.#deps.frames.trySend({ to: from, type: 'cancel', id })
  }

  /** Handles a returned message of a pending request: the queue of its responder is gone. */
  onReturned(message: Message): void {
    this.#pending.get(correlationId(message))?.request.onUnroutable(message.fields.routingKey)
  }

  /** Fails all pending requests, because the connection or the reply queue was lost. */
  failAll(): void {
    for (const { request } of this.#pending.values()) request.fail(noResponder())
  }

  async #setup(channel: Channel): Promise<void> {
    // RabbitMQ code 312 NO_ROUTE: no queue is bound to the key of the request.
    channel.on('return', (message: Message) => {
      if (message.properties.type === 'request') this.onReturned(message)
      else this.#pending.get(probedRequest(message))?.request.fail(noResponder())
    })
    // Publishing to an exchange that does not exist closes the channel, so the exchanges are
    // declared.
    await Promise.all(this.#deps.use.requests.map((name) => declareExchange(channel, name)))
  }

  async #request({ command, request, options }: RpcCall): Promise<Reply> {
    const { key, signal, requestId } = options
    const { frames } = this.#deps
    signal?.throwIfAborted()
    const timeoutMs = Math.min(maxTimerMs, Math.ceil(options.timeoutMs))
    if (!(timeoutMs > 0)) throw deadlineExceeded()
    const replyTo = this.#requireReplyQueue()
    const content = encode(request)

    // A request to a direct queue is repeated after 1 s of silence, although its responder may be
    // busy.
    const direct = command.atMostOnce ? undefined : this.#directQueues.find(key)
    const fallback = () => this.#fallBack(outgoing, direct)
    const pending = new PendingRequest({
      timeoutMs,
      signal,
      frames,
      withdraw: (id) => this.#cancel(key, id),
      onClose: (id) => this.#pending.delete(id),
      destination: direct ?? key,
      ...(direct === undefined ? {} : { shared: { key, request: fallback } }),
    })
    this.#pending.set(pending.id, { request: pending, key })
    this.#monitor.watch()
    const deadline = Date.now() + timeoutMs
    const headers = {
      ...activeTrace(),
      command: command.name,
      'request-id': requestId ?? pending.id,
      deadline,
      'timeout-ms': timeoutMs,
    }
    const outgoing: OutgoingRequest = { pending, key, content, headers, replyTo, deadline }
    if (direct === undefined) this.#requestShared(outgoing)
    else {
      // A request to a direct queue that is not taken in time is repeated on the shared queue, so
      // the direct request expires.
      const expirationMs = Math.min(timeoutMs, directReplyMs)
      this.#publish(outgoing, { exchange: '', key: direct, expirationMs })
    }
    if (options.failFast) setTimeout(() => this.#probe(key, pending.id), probeAfterMs).unref()
    return pending.reply
  }

  /**
   * Name of the queue for replies to this process.
   *
   * @throws AppError `unavailable` if the broker takes no requests now
   */
  #requireReplyQueue(): string {
    const replyTo = this.#deps.replyQueue()
    const isOpen = this.channel.current && this.#deps.connection.unblocked.isOpen
    if (!isOpen || !replyTo || this.isBrokerSilent) throw noResponder()
    return replyTo
  }

  #fallBack(outgoing: OutgoingRequest, direct: string | undefined): void {
    if (direct !== undefined) this.#directQueues.evict(outgoing.key, direct)
    this.#requestShared(outgoing)
  }

  #requestShared(outgoing: OutgoingRequest): void {
    const { key, deadline } = outgoing
    const expirationMs = Math.max(1, deadline - Date.now())
    this.#publish(outgoing, { exchange: exchangeFor(key), key, expirationMs })
  }

  #publish(
    { pending, content, headers, replyTo }: OutgoingRequest,
    { exchange, key, expirationMs }: Destination,
  ): void {
    try {
      const channel = this.channel.current
      if (!channel) throw noResponder()
      channel.publish(exchange, key, content, {
        mandatory: true,
        persistent: false,
        userId: this.#deps.user,
        type: 'request',
        contentType: 'application/json',
        correlationId: pending.id,
        replyTo,
        expiration: String(expirationMs),
        headers,
      })
    } catch (error) {
      pending.fail(noResponder(error)) // The channel was closed concurrently.
    }
  }

  /**
   * Sends an echo message to this process. A broker with an alarm takes no messages, but still
   * delivers replies.
   */
  #sendEcho(): boolean {
    const to = this.#deps.replyQueue()
    if (to === undefined || !this.channel.current || !this.#deps.connection.unblocked.isOpen)
      return false
    this.#deps.frames.trySend({ to, type: 'echo', id: '' })
    return true
  }

  /**
   * Publishes a cancellation of an unknown request as a probe. RabbitMQ returns the probe if no
   * responder is bound.
   */
  #probe(key: string, id: string): void {
    if (this.#pending.has(id)) this.#cancel(key, probePrefix + id)
  }

  /**
   * Sends the cancellation of a request to all responders of the key, because the responder that
   * took the request may be unknown.
   */
  #cancel(key: string, id: string): void {
    try {
      this.channel.current?.publish(exchangeFor(key), cancelKey(key), Buffer.alloc(0), {
        mandatory: true,
        persistent: false,
        type: 'cancel',
        correlationId: id,
      })
    } catch {
      // A request whose cancellation cannot be sent ends at its deadline.
    }
  }
}

/** Id of the request whose probe was returned; empty for messages that are no probes. */
function probedRequest(message: Message): string {
  const id = correlationId(message)
  return id.startsWith(probePrefix) ? id.slice(probePrefix.length) : ''
}
