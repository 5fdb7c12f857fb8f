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

/** Longest delay in milliseconds that a timer in Node supports. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Prefix of the correlation id of a probe. A probe is a message that tests whether any responder is
 * bound to the routing key of an RPC request.
 */
const probePrefix = 'probe '
/**
 * Time after which a probe is sent for an RPC request without a reply. Most replies arrive earlier.
 */
const probeAfterMs = 250

export interface RpcClientDeps {
  connection: RecoveringConnection
  frames: FramePublisher
  /** Name of this process's reply queue in RabbitMQ. Undefined while the queue does not exist. */
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

/** RPC request that is ready to be published. */
interface OutgoingRequest {
  pending: PendingRequest
  key: string
  content: Buffer
  headers: Record<string, unknown>
  replyTo: string
  /** Deadline of the RPC request in milliseconds since 1970. */
  deadline: number
}

interface Destination {
  exchange: string
  key: string
  /** Time after which RabbitMQ drops an RPC request that no process has consumed. */
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

  /** True while the RabbitMQ broker delivers nothing. Requests then fail immediately. */
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

  /** Handles an RPC message (frame) that belongs to a pending request of this process. */
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
    // An RPC stream that starts after its request has ended is cancelled. Otherwise the stream
    // would occupy the responder until the limit for idle readers.
    const from = nonEmptyText(message.properties.replyTo)
    if (message.properties.type === 'head' && from)
      this.#deps.frames.trySend({ to: from, type: 'cancel', id })
  }

  /** Handles a returned message of a request: the queue of its responder no longer exists. */
  onReturned(message: Message): void {
    this.#pending.get(correlationId(message))?.request.onUnroutable(message.fields.routingKey)
  }

  /** Fails all pending RPC requests, because the connection or the reply queue was lost. */
  failAll(): void {
    for (const { request } of this.#pending.values()) request.fail(noResponder())
  }

  async #setup(channel: Channel): Promise<void> {
    // RabbitMQ returns a message (code 312) if no queue is bound to its routing key.
    channel.on('return', (message: Message) => {
      if (message.properties.type === 'request') this.onReturned(message)
      else this.#pending.get(probedRequest(message))?.request.fail(noResponder())
    })
    // Declares the RabbitMQ exchanges for RPC requests, because RabbitMQ closes the channel when a
    // message is published to an exchange that does not exist.
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

    // A request to a direct queue is sent again to the shared queue after 1 s without a reply. Two
    // responders may then execute the request, which must not happen for commands with
    // `atMostOnce`.
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
      // RabbitMQ drops a request on a direct queue after `directReplyMs`, because the request is
      // then sent to the shared queue.
      const expirationMs = Math.min(timeoutMs, directReplyMs)
      this.#publish(outgoing, { exchange: '', key: direct, expirationMs })
    }
    if (options.failFast) setTimeout(() => this.#probe(key, pending.id), probeAfterMs).unref()
    return pending.reply
  }

  /**
   * Name of the queue that receives RPC replies for this process.
   *
   * @throws AppError `unavailable` if the broker currently accepts no requests
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
      pending.fail(noResponder(error)) // The RabbitMQ channel was closed concurrently.
    }
  }

  /**
   * Sends an echo message to this process. Returns false if no echo can be sent, for example while
   * RabbitMQ blocks publishers. RabbitMQ still delivers replies while it blocks publishers.
   */
  #sendEcho(): boolean {
    const to = this.#deps.replyQueue()
    if (to === undefined || !this.channel.current || !this.#deps.connection.unblocked.isOpen)
      return false
    this.#deps.frames.trySend({ to, type: 'echo', id: '' })
    return true
  }

  /**
   * Publishes a probe, which is the cancellation of an unknown request. RabbitMQ returns the probe
   * if no responder is bound to the routing key.
   */
  #probe(key: string, id: string): void {
    if (this.#pending.has(id)) this.#cancel(key, probePrefix + id)
  }

  /**
   * Sends the cancellation of an RPC request to all responders of the routing key, because this
   * process may not know the responder that executes the request.
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
      // The error of sending the cancellation is ignored. An RPC request whose cancellation could
      // not be sent ends at its deadline.
    }
  }
}

/** Id of the RPC request for which a returned probe was sent. Empty if no probe was returned. */
function probedRequest(message: Message): string {
  const id = correlationId(message)
  return id.startsWith(probePrefix) ? id.slice(probePrefix.length) : ''
}
