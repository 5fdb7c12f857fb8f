import type { IncomingMessage } from 'node:http'
import type { Operation } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { Semaphore } from '@posthorn/flow'

/** What every operation takes is not waited for. */
const smallBytes = 1024 * 1024
/** Of the largest bodies, how many may be in memory at once. Each costs about five times its size until it is stored. */
const largestAtOnce = 2

export interface BodyMemoryOptions {
  maxUploadBytes: number
  /** How long a body may wait; default a minute. */
  maxWaitMs?: number
}

/** Room in memory for large bodies. Those that find none wait outside, in the client's hands. */
export class BodyMemoryLimiter {
  readonly #budget: Semaphore
  readonly #maxBytes: number
  readonly #patienceMs: number

  constructor({ maxUploadBytes, maxWaitMs: patienceMs = 60_000 }: BodyMemoryOptions) {
    this.#budget = new Semaphore(largestAtOnce * maxUploadBytes)
    this.#maxBytes = maxUploadBytes
    this.#patienceMs = patienceMs
  }

  /**
   * To be called before the body is read, and disposed of when its bytes are of no more use.
   *
   * @throws AppError `unavailable` when there is no room for long; the reason of the signal
   */
  async acquireForBody(
    { bodyLimit }: Pick<Operation, 'bodyLimit'>,
    { headers }: Pick<IncomingMessage, 'headers'>,
    signal: AbortSignal,
  ): Promise<Disposable | undefined> {
    // A body that does not say how long it is may be as long as is allowed.
    const chunked = headers['transfer-encoding'] !== undefined
    const bytes = chunked ? this.#maxBytes : Number(headers['content-length'] ?? 0)
    // One that says that it is longer is refused unread.
    const waits = bytes > smallBytes && bytes <= this.#maxBytes
    if (bodyLimit !== 'upload' || !waits) return undefined
    return this.acquire(bytes, signal)
  }

  /**
   * The same for bytes that come from elsewhere, such as a mailbox.
   *
   * @throws AppError `unavailable` when there is no room for long; the reason of the signal
   */
  async acquire(bytes: number, signal: AbortSignal): Promise<Disposable> {
    const late = AbortSignal.timeout(this.#patienceMs)
    const either = AbortSignal.any([signal, late])
    try {
      return await this.#budget.acquire(either, bytes)
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error
      throw new AppError('unavailable', 'Too many large bodies at once; retry shortly')
    }
  }
}
