import type { IncomingMessage } from 'node:http'
import type { Operation } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'
import { Semaphore } from '@posthorn/flow'

/** Body size that every operation accepts without acquiring memory. */
const smallBytes = 1024 * 1024
/** Largest bodies in memory at a time. Each costs about five times its size until it is stored. */
const largestConcurrent = 2

export interface BodyMemoryOptions {
  maxUploadBytes: number
  /** Longest wait of one body for memory; defaults to 60 s. */
  maxWaitMs?: number
}

/** Limits the memory of large bodies. A body that has to wait stays unread on its connection. */
export class BodyMemoryLimiter {
  /** Maximum size of one body. */
  readonly maxBytes: number
  readonly #memory: Semaphore
  readonly #maxWaitMs: number

  constructor({ maxUploadBytes, maxWaitMs = 60_000 }: BodyMemoryOptions) {
    this.#memory = new Semaphore(largestConcurrent * maxUploadBytes)
    this.maxBytes = maxUploadBytes
    this.#maxWaitMs = maxWaitMs
  }

  /**
   * Acquires memory for a request body that is not read yet. Disposal releases it.
   *
   * @throws AppError `unavailable` after `maxWaitMs`, or the reason of the signal
   */
  async acquireForBody(
    { bodyLimit }: Pick<Operation, 'bodyLimit'>,
    { headers }: Pick<IncomingMessage, 'headers'>,
    signal: AbortSignal,
  ): Promise<Disposable | undefined> {
    // The length of a chunked body is unknown: assume the maximum.
    const chunked = headers['transfer-encoding'] !== undefined
    const bytes = chunked ? this.maxBytes : Number(headers['content-length'] ?? 0)
    // A body above the maximum is rejected unread.
    const needsMemory = bytes > smallBytes && bytes <= this.maxBytes
    if (bodyLimit !== 'upload' || !needsMemory) return undefined
    return this.acquire(bytes, signal)
  }

  /**
   * Acquires memory for bytes from another source, such as a mailbox.
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
