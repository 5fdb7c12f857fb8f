import type { IncomingMessage } from 'node:http'
import type { Operation } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'
import { KeyedSemaphore, Semaphore } from '@posthorn/flow'
import { BodyError } from '@posthorn/http'

/** Size of a request body that every operation accepts without reserving memory. */
const freeBytes = 1024 * 1024
/** Bytes of memory that are reserved at a time while a request body arrives. */
const stepBytes = 1024 * 1024
/** Bytes of a large request body that must arrive per period of `stallMs`: 16 KiB per second. */
const bytesPerStallMs = 16 * 1.024

export interface UploadMemoryOptions {
  maxUploadBytes: number
  /** Maximum wait of one request body for memory; defaults to 60 s. */
  maxWaitMs?: number
  /** Period in which a large request body must make progress. */
  stallMs: number
}

export interface Upload {
  operation: Pick<Operation, 'bodyLimit'>
  request: Pick<IncomingMessage, 'headers'>
  /** Account, token or IP address whose share of the memory the request body takes. */
  owner: string
  /** Signal that is aborted when the client that sends the request body disconnects. */
  signal: AbortSignal
}

/**
 * Limits the memory of large request bodies. A body costs about five times its size until it is
 * stored. The bodies of one owner (account, token or address) together may have the size of one
 * largest body, so that slow bodies delay only further bodies of the same owner. While bytes
 * arrive, a body reserves memory that all owners share. Any body may use the first half of this
 * memory. The second half is for one body at a time, which can therefore always be completed. A
 * body that has to wait stays unread on its connection.
 */
export class UploadMemory {
  /** Maximum size of one request body. */
  readonly maxBytes: number
  readonly #shares: KeyedSemaphore
  readonly #context: MemoryContext

  constructor({ maxUploadBytes, maxWaitMs = 60_000, stallMs }: UploadMemoryOptions) {
    this.maxBytes = maxUploadBytes
    this.#shares = new KeyedSemaphore(maxUploadBytes)
    const pool = new Semaphore(maxUploadBytes)
    this.#context = { pool, lane: new Semaphore(1), maxWaitMs, stallMs }
  }

  /**
   * Prepares the reading of a request body. Undefined if the body is small or will be rejected
   * unread. Disposal of the result releases the memory.
   *
   * @throws AppError `unavailable` after `maxWaitMs`, or the abort reason of the signal
   */
  async open({ operation, request, owner, signal }: Upload): Promise<UploadBody | undefined> {
    const { headers } = request
    // The length of a chunked request body is unknown, so the maximum is assumed.
    const chunked = headers['transfer-encoding'] !== undefined
    const bytes = chunked ? this.maxBytes : Number(headers['content-length'] ?? 0)
    const needsMemory = bytes > freeBytes && bytes <= this.maxBytes
    if (operation.bodyLimit !== 'upload' || !needsMemory) return undefined
    const share = await waitFor(this.#context.maxWaitMs, signal, (limited) =>
      this.#shares.acquire(owner, limited, bytes),
    )
    return new UploadBody(share, signal, this.#context)
  }
}

interface MemoryContext {
  /** Permits for the half of the memory that all request bodies share, one permit per byte. */
  pool: Semaphore
  /**
   * Permit of the one request body that may use the half of the memory that request bodies do not
   * share.
   */
  lane: Semaphore
  maxWaitMs: number
  stallMs: number
}

/** Memory of one request body while the body is read and handled. */
export class UploadBody implements Disposable {
  readonly #permits: Disposable[]
  readonly #signal: AbortSignal
  readonly #context: MemoryContext
  readonly #stalled = Promise.withResolvers<never>()
  #bytes = 0
  #reserved = freeBytes
  #hasLane = false
  /**
   * Bytes of the request body at the start of the current stall period; undefined while the body
   * waits for memory.
   */
  #periodStart: number | undefined = 0
  readonly #timer: NodeJS.Timeout

  constructor(share: Disposable, signal: AbortSignal, context: MemoryContext) {
    this.#permits = [share]
    this.#signal = signal
    this.#context = context
    this.#stalled.promise.catch(() => undefined)
    this.#timer = setInterval(() => this.#checkProgress(), context.stallMs)
  }

  /**
   * Promise that rejects with 408 when the client sends the request body slower than 16 KiB per
   * second.
   */
  get stalled(): Promise<never> {
    return this.#stalled.promise
  }

  /**
   * Counts received bytes of the request body. Returns a promise if the reader must wait for
   * memory.
   *
   * @throws AppError `unavailable` after `maxWaitMs`, or the abort reason of the signal
   */
  admit(bytes: number): Promise<void> | undefined {
    this.#bytes += bytes
    if (this.#hasLane || this.#bytes <= this.#reserved) return undefined
    const step = Math.max(stepBytes, this.#bytes - this.#reserved)
    this.#reserved += step
    const permit = this.#context.pool.tryAcquire(step)
    if (!permit) return this.#waitForLane()
    this.#permits.push(permit)
    return undefined
  }

  /**
   * Called when the request body is complete. Ends the check that the body makes progress, so that
   * the time of the handler does not count.
   */
  complete(): void {
    clearInterval(this.#timer)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const permit of this.#permits.splice(0)) permit[Symbol.dispose]()
  }

  async #waitForLane(): Promise<void> {
    const { lane, maxWaitMs } = this.#context
    this.#periodStart = undefined
    const permit = await waitFor(maxWaitMs, this.#signal, (limited) => lane.acquire(limited))
    this.#permits.push(permit)
    this.#hasLane = true
    this.#periodStart = this.#bytes
    this.#timer.refresh()
  }

  #checkProgress(): void {
    const start = this.#periodStart
    if (start === undefined) return
    this.#periodStart = this.#bytes
    if (this.#bytes - start < bytesPerStallMs * this.#context.stallMs)
      this.#stalled.reject(new BodyError('timeout', 'The body was not received in time'))
  }
}

async function waitFor(
  maxWaitMs: number,
  signal: AbortSignal,
  acquire: (signal: AbortSignal) => Promise<Disposable>,
): Promise<Disposable> {
  const timeout = AbortSignal.timeout(maxWaitMs)
  try {
    return await acquire(AbortSignal.any([signal, timeout]))
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error
    throw new AppError('unavailable', 'Too many concurrent uploads, retry later')
  }
}

/**
 * Number of mailbox messages of maximum size in memory at a time. Each message costs about five
 * times its size.
 */
const largestConcurrent = 2

export interface BodyMemoryOptions {
  maxUploadBytes: number
  /** Maximum wait of one mailbox message for memory; defaults to 60 s. */
  maxWaitMs?: number
}

/** Limits the memory of messages that a submission reads from a mailbox. */
export class BodyMemoryLimiter {
  /** Maximum size of one message that a submission reads from a mailbox. */
  readonly maxBytes: number
  readonly #memory: Semaphore
  readonly #maxWaitMs: number

  constructor({ maxUploadBytes, maxWaitMs = 60_000 }: BodyMemoryOptions) {
    this.maxBytes = maxUploadBytes
    this.#memory = new Semaphore(largestConcurrent * maxUploadBytes)
    this.#maxWaitMs = maxWaitMs
  }

  /**
   * Acquires memory for the bytes of a message that is read from a mailbox.
   *
   * @throws AppError `unavailable` after `maxWaitMs`, or the abort reason of the signal
   */
  acquire(bytes: number, signal: AbortSignal): Promise<Disposable> {
    return waitFor(this.#maxWaitMs, signal, (limited) => this.#memory.acquire(limited, bytes))
  }
}
