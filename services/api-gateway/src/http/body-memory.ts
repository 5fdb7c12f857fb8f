import { AppError } from '@posthorn/errors'
import { Semaphore } from '@posthorn/flow'

/** Number of largest messages in memory at a time. Each message costs about five times its size. */
const largestConcurrent = 2

export interface BodyMemoryOptions {
  maxUploadBytes: number
  /** Longest wait of one message for memory; defaults to 60 s. */
  maxWaitMs?: number
}

/** Limits the memory of messages that a submission reads from a mailbox. */
export class BodyMemoryLimiter {
  /** Maximum size of one message. */
  readonly maxBytes: number
  readonly #memory: Semaphore
  readonly #maxWaitMs: number

  constructor({ maxUploadBytes, maxWaitMs = 60_000 }: BodyMemoryOptions) {
    this.maxBytes = maxUploadBytes
    this.#memory = new Semaphore(largestConcurrent * maxUploadBytes)
    this.#maxWaitMs = maxWaitMs
  }

  /**
   * Acquires memory for bytes from a mailbox.
   *
   * @throws AppError `unavailable` after `maxWaitMs`, or the reason of the signal
   */
  async acquire(bytes: number, signal: AbortSignal): Promise<Disposable> {
    const timeout = AbortSignal.timeout(this.#maxWaitMs)
    try {
      return await this.#memory.acquire(AbortSignal.any([signal, timeout]), bytes)
    } catch (error) {
      if (signal.aborted || !timeout.aborted) throw error
      throw new AppError('unavailable', 'Too many concurrent uploads, retry later')
    }
  }
}
