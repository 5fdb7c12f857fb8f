import type { Message } from 'amqplib'
import { decode, headerNumber } from '../payload.ts'
import type { FramePublisher } from './frame-publisher.ts'
import { deadlineExceeded, nonEmptyText, noResponder, readError, UnroutedError } from './frames.ts'
import { IncomingStream } from './incoming-stream.ts'

/**
 * Interval of the messages that check whether a responder that has acknowledged an RPC request is
 * still alive.
 */
const monitorMs = 1_000
/**
 * Time within which a responder must reply to an RPC request on its direct queue, or acknowledge
 * the request. A responder acknowledges after a quarter of this time.
 */
export const directReplyMs = 1_000

export interface Reply {
  response: unknown
  /**
   * Stream that follows the reply to an RPC request. Absent if the command has no streamed reply.
   */
  body?: AsyncIterable<Uint8Array>
}

export interface PendingRequestOptions {
  timeoutMs: number
  signal: AbortSignal | undefined
  frames: FramePublisher
  /** Cancels the RPC request with the id `id` at all responders that may be executing it. */
  withdraw: (id: string) => void
  /**
   * Called once with the id of an RPC request when the request, including the stream after its
   * reply, has ended.
   */
  onClose: (id: string) => void
  /** Routing key or queue to which the RPC request was published. */
  destination: string
  /**
   * Shared queue for an RPC request that was sent to a direct queue. `request` sends the RPC
   * request again, to the shared queue, and is called at most once.
   */
  shared?: { key: string; request: () => void }
}

/**
 * RPC request that this process has sent. The request is pending until its reply, or until the end
 * of the stream that follows the reply.
 */
export class PendingRequest {
  readonly id = crypto.randomUUID()
  readonly #options: PendingRequestOptions
  readonly #reply = Promise.withResolvers<Reply>()
  readonly #timer: NodeJS.Timeout
  readonly #fallbackTimer: NodeJS.Timeout | undefined
  #shared: PendingRequestOptions['shared']
  /**
   * Current routing key or queue of the responder of an RPC request. A message that RabbitMQ
   * returns from any other destination does not fail the request.
   */
  #destination: string
  #monitor: NodeJS.Timeout | undefined
  #stream: IncomingStream | undefined
  #streamFrom: string | undefined

  constructor(options: PendingRequestOptions) {
    this.#options = options
    this.#timer = setTimeout(() => this.#abort(deadlineExceeded()), options.timeoutMs)
    options.signal?.addEventListener('abort', this.#onAbort, { once: true })
    this.#destination = options.destination
    this.#shared = options.shared
    if (options.shared)
      this.#fallbackTimer = setTimeout(() => this.#fallBackToSharedQueue(), directReplyMs)
  }

  get reply(): Promise<Reply> {
    return this.#reply.promise
  }

  /** Ends the RPC request with an error, because its responder died or its reply cannot arrive. */
  fail(error: unknown): void {
    if (this.#stream) return this.#stream.onFailure(error)
    this.#reply.reject(error)
    this.#close()
  }

  /**
   * Handles a message of the RPC request that RabbitMQ returned because no queue exists for the
   * routing key or queue name `destination`.
   */
  onUnroutable(destination: string): void {
    if (destination !== this.#destination || this.#fallBackToSharedQueue()) return
    this.fail(this.#monitor ? noResponder() : new UnroutedError())
  }

  receive(message: Message): void {
    clearTimeout(this.#fallbackTimer)
    const from = nonEmptyText(message.properties.replyTo)
    const type: unknown = message.properties.type
    if (type === 'ack') this.#startMonitor(from)
    else if (type === 'reply') this.#onReply(message)
    else if (type === 'head') this.#onHead(message, from)
    else if (this.#stream && from === this.#streamFrom) continueStream(this.#stream, message)
  }

  /**
   * Sends an RPC request again, on the shared queue instead of the direct queue. Returns false if
   * the request was already sent on the shared queue, or a stream has begun. A late reply of the
   * first responder is still accepted.
   */
  #fallBackToSharedQueue(): boolean {
    const shared = this.#shared
    if (!shared || this.#stream) return false
    this.#shared = undefined
    clearTimeout(this.#fallbackTimer)
    clearInterval(this.#monitor)
    this.#monitor = undefined
    this.#destination = shared.key
    shared.request()
    return true
  }

  /**
   * Periodically sends a credit of 0 chunks to the responder of an RPC request. If the responder
   * has died, RabbitMQ returns the message and the request fails.
   */
  #startMonitor(from: string | undefined): void {
    if (from === undefined || this.#monitor || this.#stream) return
    const { frames } = this.#options
    this.#destination = from
    const check = () =>
      frames.trySend({ to: from, type: 'credit', id: this.id, headers: { chunks: 0 } })
    this.#monitor = setInterval(check, monitorMs)
  }

  #onReply(message: Message): void {
    if (this.#stream) return
    const content = decode(message.content) as { response?: unknown; error?: unknown } | undefined
    if (!content || content.error !== undefined) return this.fail(readError(content?.error))
    this.#reply.resolve({ response: content.response })
    this.#close()
  }

  #onHead(message: Message, from: string | undefined): void {
    if (from === undefined || from === this.#streamFrom) return
    const { frames, timeoutMs } = this.#options
    // While a shard (group of accounts) is handed from one worker to another, both workers may hold
    // the routing key of the request and start a stream. Only the first stream is read, and the
    // second stream is cancelled.
    if (this.#stream) return frames.trySend({ to: from, type: 'cancel', id: this.id })
    clearTimeout(this.#timer)
    clearInterval(this.#monitor)
    this.#streamFrom = from
    this.#destination = from
    this.#stream = new IncomingStream({
      timeoutMs,
      grant: (chunks) =>
        frames.trySend({ to: from, type: 'credit', id: this.id, headers: { chunks } }),
      cancel: () => frames.trySend({ to: from, type: 'cancel', id: this.id }),
      onClose: () => this.#close(),
    })
    const { response } = (decode(message.content) ?? {}) as { response?: unknown }
    this.#reply.resolve({ response, body: this.#stream })
  }

  #abort(reason: unknown): void {
    if (this.#stream) return this.#stream.abort(reason)
    this.#options.withdraw(this.id)
    this.fail(reason)
  }

  readonly #onAbort = () => this.#abort(this.#options.signal?.reason)

  #close(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#fallbackTimer)
    clearInterval(this.#monitor)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    this.#options.onClose(this.id)
  }
}

function continueStream(stream: IncomingStream, message: Message): void {
  const number = headerNumber(message, 'number')
  switch (message.properties.type) {
    case 'chunk':
      return stream.push(number, message.content)
    case 'end':
      return stream.end(number)
    case 'failure':
      return stream.onFailure(
        readError((decode(message.content) as { error?: unknown } | undefined)?.error),
      )
  }
}
