import type { Message } from 'amqplib'
import { decode, headerNumber } from '../payload.ts'
import type { FramePublisher } from './frame-publisher.ts'
import { deadlineExceeded, nonEmptyText, noResponder, readError, UnroutedError } from './frames.ts'
import { IncomingStream } from './incoming-stream.ts'

/** Interval of liveness checks of a responder that has acknowledged a request. */
const monitorMs = 1_000
/**
 * Time in which a responder must reply to a request to its direct queue, or acknowledge the
 * request. A responder acknowledges after a quarter of that time.
 */
export const directReplyMs = 1_000

export interface Reply {
  response: unknown
  /** Stream after the reply to the request. Present for streamed replies only. */
  body?: AsyncIterable<Uint8Array>
}

export interface PendingRequestOptions {
  timeoutMs: number
  signal: AbortSignal | undefined
  frames: FramePublisher
  /** Cancels the request at its responders. */
  withdraw: (id: string) => void
  /** Called once, when the request and the stream after its reply have ended. */
  onClose: (id: string) => void
  /** Routing key or queue that the request was published to. */
  destination: string
  /** Repeats a request to a direct queue on the shared queue, at most once. */
  shared?: { key: string; request: () => void }
}

/** Request of this process, until its reply or the end of the stream that follows the reply. */
export class PendingRequest {
  readonly id = crypto.randomUUID()
  readonly #options: PendingRequestOptions
  readonly #reply = Promise.withResolvers<Reply>()
  readonly #timer: NodeJS.Timeout
  readonly #fallbackTimer: NodeJS.Timeout | undefined
  #shared: PendingRequestOptions['shared']
  /**
   * Routing key or queue of the responder. Only a message returned from this destination fails the
   * request.
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

  /** Ends the request because its responder or the path of its reply is gone. */
  fail(error: unknown): void {
    if (this.#stream) return this.#stream.onFailure(error)
    this.#reply.reject(error)
    this.#close()
  }

  /**
   * Handles a returned message of the request: no queue is bound to this key, or this queue does
   * not exist.
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
   * Repeats a request to a direct queue on the shared queue. Returns false if that is not possible
   * any more. A late reply of the first responder still counts.
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
   * Sends a credit of 0 to the responder periodically. If the responder died, RabbitMQ returns the
   * credit and the request fails.
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
    // During a handoff two workers may hold the key of the request: the first stream wins.
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
