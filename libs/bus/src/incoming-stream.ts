import { AppError } from '@posthorn/errors'
import { tooLate, windowChunks } from './wire.ts'

/** A reader that asks for nothing for so long is gone: an account has few connections, and readers that stand still would keep all others from them. */
const readerIdleMs = 60_000

/** Our signs of life come back when the sender has died: so soon we know. */
const longestSilenceMs = 1_000

export interface IncomingStreamOptions {
  /** Between two chunks, while the reader waits for one. */
  timeoutMs: number
  /** Tells the sender that it may send so many more; 0 says only that we are still here. */
  grant: (chunks: number) => void
  /** Once, when it ended otherwise than by its last chunk: the sender may still be at work. */
  cancel: () => void
  /** Once, however it ended. */
  closed: () => void
}

/** The reader's half of a stream. Holds at most a window of chunks: a sender that sends more breaks the rules. */
export class IncomingStream implements AsyncIterableIterator<Uint8Array> {
  readonly #options: IncomingStreamOptions
  readonly #chunks: Uint8Array[] = []
  readonly #readers: PromiseWithResolvers<IteratorResult<Uint8Array>>[] = []
  readonly #alive: NodeJS.Timeout
  #timer: NodeJS.Timeout | undefined
  #next = 0
  #taken = 0
  #lastRead = Date.now()
  #end: { error?: unknown } | undefined

  constructor(options: IncomingStreamOptions) {
    this.#options = options
    const signOfLifeMs = Math.max(50, Math.min(longestSilenceMs, options.timeoutMs / 3))
    this.#alive = setInterval(() => this.#stayAlive(), signOfLifeMs).unref()
  }

  push(number: number | undefined, chunk: Uint8Array): void {
    if (this.#end) return
    if (number !== this.#next) return this.fail(brokenStream(`chunk ${this.#next} is missing`))
    if (this.#chunks.length >= windowChunks)
      return this.fail(brokenStream('more chunks than allowed'))
    this.#next += 1
    clearTimeout(this.#timer)
    this.#chunks.push(chunk)
    this.#serve()
  }

  /** The sender has sent so many chunks and no more will come. */
  end(count: number | undefined): void {
    if (count !== this.#next) this.fail(brokenStream(`ended after chunk ${this.#next} of ${count}`))
    else this.#finish({})
  }

  /** The sender ended it with an error: nothing is left to cancel. */
  failed(error: unknown): void {
    this.#finish({ error })
  }

  /** We end it. */
  fail(error: unknown): void {
    if (this.#end) return
    this.#options.cancel()
    this.#finish({ error })
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    this.#lastRead = Date.now()
    const reader = Promise.withResolvers<IteratorResult<Uint8Array>>()
    this.#readers.push(reader)
    this.#serve()
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
    clearInterval(this.#alive)
    this.#options.closed()
    this.#serve()
  }

  /** What came before the end is read before the end, errors included. */
  #serve(): void {
    while (this.#readers.length > 0) {
      const chunk = this.#chunks.shift()
      if (!chunk && !this.#end) return
      const reader = this.#readers.shift()
      if (chunk) {
        this.#count()
        reader?.resolve({ done: false, value: chunk })
      } else if (this.#end && 'error' in this.#end) {
        reader?.reject(this.#end.error)
        this.#end = {}
      } else reader?.resolve({ done: true, value: undefined })
    }
  }

  /** Room is reported in halves of the window: not a message for each chunk, and the sender never runs dry. */
  #count(): void {
    this.#taken += 1
    if (this.#end || this.#taken < windowChunks / 2) return
    this.#options.grant(this.#taken)
    this.#taken = 0
  }

  #startTimer(): void {
    clearTimeout(this.#timer)
    if (!this.#end) this.#timer = setTimeout(() => this.fail(tooLate()), this.#options.timeoutMs)
  }

  #stayAlive(): void {
    if (Date.now() - this.#lastRead > readerIdleMs && this.#readers.length === 0)
      this.fail(tooLate())
    else this.#options.grant(0)
  }
}

function brokenStream(what: string): AppError {
  return new AppError('unavailable', 'The answer broke off, try again', {
    code: 'WorkerNotAvailable',
    cause: new Error(what),
  })
}
