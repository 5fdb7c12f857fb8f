import { AppError } from '@posthorn/errors'
import { deadlineExceeded, windowChunks } from './frames.ts'

/**
 * Maximum time for which the reader of an RPC stream may read nothing. An idle reader would occupy
 * one of the account's few mail server connections.
 */
const readerIdleMs = 60_000

/**
 * Maximum interval between messages that check whether the sender of an RPC stream is alive.
 * RabbitMQ returns such a message if the sender has died.
 */
const maxCheckMs = 1_000

export interface IncomingStreamOptions {
  /** Maximum time for which the reader of an RPC stream waits for the next chunk. */
  timeoutMs: number
  /**
   * Allows the sender of an RPC stream to send more chunks. A call with 0 only signals that the
   * reader is alive.
   */
  grant: (chunks: number) => void
  /** Called once if the reader ends an RPC stream early. Tells the sender of the stream to stop. */
  cancel: () => void
  /** Called once when the incoming RPC stream has ended. */
  onClose: () => void
}

/**
 * Reader of a stream that follows an RPC reply. Buffers at most `windowChunks` chunks. A sender
 * that sends more chunks is cancelled.
 */
export class IncomingStream implements AsyncIterableIterator<Uint8Array> {
  readonly #options: IncomingStreamOptions
  readonly #chunks: Uint8Array[] = []
  readonly #readers: PromiseWithResolvers<IteratorResult<Uint8Array>>[] = []
  readonly #check: NodeJS.Timeout
  #timer: NodeJS.Timeout | undefined
  #next = 0
  #readCount = 0
  #lastRead = Date.now()
  #end: { error?: unknown } | undefined

  constructor(options: IncomingStreamOptions) {
    this.#options = options
    const checkMs = Math.max(50, Math.min(maxCheckMs, options.timeoutMs / 3))
    this.#check = setInterval(() => this.#checkIdle(), checkMs).unref()
  }

  push(number: number | undefined, chunk: Uint8Array): void {
    if (this.#end) return
    if (number !== this.#next) return this.abort(brokenStream(`chunk ${this.#next} is missing`))
    if (this.#chunks.length >= windowChunks)
      return this.abort(brokenStream('more chunks than allowed'))
    this.#next += 1
    clearTimeout(this.#timer)
    this.#chunks.push(chunk)
    this.#deliver()
  }

  /** Handles the message that the incoming RPC stream has ended after `count` chunks. */
  end(count: number | undefined): void {
    if (count !== this.#next)
      this.abort(brokenStream(`ended after chunk ${this.#next} of ${count}`))
    else this.#finish({})
  }

  /**
   * Handles an error that the sender of an RPC stream reported. The sender has ended the stream, so
   * it is not cancelled.
   */
  onFailure(error: unknown): void {
    this.#finish({ error })
  }

  /**
   * Ends the incoming RPC stream with an error in this process and cancels the sender of the
   * stream.
   */
  abort(error: unknown): void {
    if (this.#end) return
    this.#options.cancel()
    this.#finish({ error })
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    this.#lastRead = Date.now()
    const reader = Promise.withResolvers<IteratorResult<Uint8Array>>()
    this.#readers.push(reader)
    this.#deliver()
    if (this.#readers.length > 0) this.#startTimer()
    return reader.promise
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#end) {
      this.#options.cancel()
      this.#finish({})
    }
    this.#chunks.length = 0
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #finish(end: { error?: unknown }): void {
    if (this.#end) return
    this.#end = end
    clearTimeout(this.#timer)
    clearInterval(this.#check)
    this.#options.onClose()
    this.#deliver()
  }

  /**
   * Delivers buffered chunks of an RPC stream to waiting readers. The end or error of the stream is
   * delivered after the last chunk.
   */
  #deliver(): void {
    while (this.#readers.length > 0) {
      const chunk = this.#chunks.shift()
      if (!chunk && !this.#end) return
      const reader = this.#readers.shift()
      if (chunk) {
        this.#countRead()
        reader?.resolve({ done: false, value: chunk })
      } else if (this.#end && 'error' in this.#end) {
        reader?.reject(this.#end.error)
        this.#end = {}
      } else reader?.resolve({ done: true, value: undefined })
    }
  }

  /**
   * Counts a chunk that was read from an RPC stream, and allows the sender to send more after half
   * a window of chunks. Few credit frames are then sufficient, and the sender never waits for a
   * reader that keeps up.
   */
  #countRead(): void {
    this.#readCount += 1
    if (this.#end || this.#readCount < windowChunks / 2) return
    this.#options.grant(this.#readCount)
    this.#readCount = 0
  }

  #startTimer(): void {
    clearTimeout(this.#timer)
    if (!this.#end)
      this.#timer = setTimeout(() => this.abort(deadlineExceeded()), this.#options.timeoutMs)
  }

  #checkIdle(): void {
    if (Date.now() - this.#lastRead > readerIdleMs && this.#readers.length === 0)
      this.abort(deadlineExceeded())
    else this.#options.grant(0)
  }
}

function brokenStream(reason: string): AppError {
  return new AppError('unavailable', 'Response stream interrupted, try again', {
    code: 'WorkerNotAvailable',
    cause: new Error(reason),
  })
}
