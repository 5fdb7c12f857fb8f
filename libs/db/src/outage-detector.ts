import { setImmediate as pendingEvents } from 'node:timers/promises'
import { UnavailableError } from '@posthorn/errors'
import { type Clock, monotonicClock, withTimeout } from '@posthorn/flow'
import { isResponse } from './unavailable.ts'

export interface OutageDetectorOptions {
  /**
   * Function that requests a response from Postgres. Resolves with a response and rejects without a
   * response.
   */
  probe: () => Promise<void>
  /**
   * Maximum time that an operation of Postgres waits for a response. After this time Postgres is
   * probed.
   */
  maxSilenceMs: number
  /** Maximum duration of a probe of Postgres in milliseconds. */
  maxProbeMs: number
  /** Time between two probes of Postgres during an outage. */
  probeEveryMs?: number
  /** Called with true when an outage of Postgres begins, and with false when it ends. */
  onChange?: (isOutage: boolean) => void
  clock?: Clock
}

/**
 * Detector of outages of Postgres. If Postgres does not respond at all, operations are ended early,
 * so that callers get an error within `maxSilenceMs` plus `maxProbeMs`.
 *
 * A slow statement is not an outage: Postgres is probed only while no connection gets a response,
 * and the probe uses a new connection. During an outage all operations fail immediately, and probes
 * are repeated until a probe succeeds.
 */
export class OutageDetector {
  readonly #options: Required<OutageDetectorOptions>
  /**
   * Start time of each Postgres operation in progress, oldest first. The key is the function that
   * rejects the operation.
   */
  readonly #waiting = new Map<(error: Error) => void, number>()
  readonly #stop = new AbortController()
  #respondedAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #probing: Promise<void> | undefined
  #isOutage = false
  #hasFailed = false

  constructor(options: OutageDetectorOptions) {
    const defaults = { probeEveryMs: 250, onChange: () => undefined, clock: monotonicClock }
    this.#options = { ...defaults, ...options }
  }

  get isOutage(): boolean {
    return this.#isOutage
  }

  /**
   * True if Postgres is considered available. False during an outage, and after a failed operation
   * until the next response.
   */
  get isResponsive(): boolean {
    return !this.#isOutage && !this.#hasFailed
  }

  /** Time at which Postgres last responded. */
  get respondedAt(): number {
    return this.#respondedAt
  }

  /**
   * Checks that no outage of Postgres has been detected.
   * @throws UnavailableError during an outage
   */
  assertNoOutage(): void {
    if (this.#isOutage) throw outageError()
  }

  /**
   * Probes Postgres immediately, without waiting until an operation has had no response for
   * `maxSilenceMs`. Concurrent calls share one probe.
   *
   * @throws UnavailableError if Postgres does not respond
   */
  async confirm(): Promise<void> {
    this.assertNoOutage()
    await this.#probe()
    this.assertNoOutage()
  }

  /**
   * Runs an operation of Postgres and returns its result.
   *
   * @throws UnavailableError when an outage is detected. The operation itself may continue.
   */
  guard<T>(start: () => Promise<T>): Promise<T> {
    this.assertNoOutage()
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(reject, this.#options.clock())
      this.#watch(this.#options.maxSilenceMs)
      const end = () => this.#waiting.delete(reject)
      start().then(
        (result) => {
          end()
          resolve(result)
        },
        (error: unknown) => {
          end()
          reject(error as Error)
        },
      )
    })
  }

  /** Records a response of Postgres, which ends an outage. */
  responded(): void {
    this.#respondedAt = this.#options.clock()
    this.#hasFailed = false
    this.#setOutage(false)
  }

  /** Records an operation of Postgres without a response, such as a refused connection. */
  failed(): void {
    this.#hasFailed = true
  }

  /**
   * Records an error of a Postgres operation. An error that Postgres has sent counts as a response.
   */
  rejected(error: unknown): void {
    if (isResponse(error)) this.responded()
    else this.failed()
  }

  stop(): void {
    this.#stop.abort()
    clearTimeout(this.#timer)
  }

  #watch(delayMs: number): void {
    if (this.#timer !== undefined || this.#probing || this.#stop.signal.aborted) return
    this.#timer = setTimeout(() => void this.#check(), delayMs).unref()
  }

  /** Probes Postgres if an operation has waited for `maxSilenceMs` without any response. */
  async #check(): Promise<void> {
    // Pending I/O events are processed first. If this process was suspended, responses of Postgres
    // may have arrived that are not processed yet.
    await pendingEvents()
    this.#timer = undefined
    const [oldest] = this.#waiting.values()
    if (!this.#isOutage) {
      if (oldest === undefined) return
      const silentMs = this.#options.clock() - Math.max(oldest, this.#respondedAt)
      // A remaining time of 1 ms is ignored, because the timers of Node.js may fire up to 1 ms
      // early.
      const leftMs = this.#options.maxSilenceMs - silentMs
      if (leftMs > 1) return this.#watch(leftMs)
    }
    await this.#probe()
  }

  /**
   * Probes Postgres. Further probes follow during an outage, and while operations wait. Concurrent
   * calls share one probe.
   */
  #probe(): Promise<void> {
    return (this.#probing ??= this.#sendProbe().finally(() => {
      this.#probing = undefined
      const { probeEveryMs, maxSilenceMs } = this.#options
      if (this.#isOutage) this.#watch(probeEveryMs)
      else if (this.#waiting.size > 0) this.#watch(maxSilenceMs)
    }))
  }

  async #sendProbe(): Promise<void> {
    const { probe, maxProbeMs, clock } = this.#options
    const startedAt = clock()
    const probing = probe().then(
      () => true,
      () => false,
    )
    const succeeded = await withTimeout(probing, maxProbeMs, () => false)
    if (!succeeded) await pendingEvents()
    if (this.#stop.signal.aborted) return
    if (succeeded) this.responded()
    else if (this.#respondedAt < startedAt) this.#setOutage(true)
  }

  #setOutage(isOutage: boolean): void {
    if (isOutage === this.#isOutage) return
    this.#isOutage = isOutage
    if (isOutage) {
      const rejections = [...this.#waiting.keys()]
      this.#waiting.clear()
      for (const reject of rejections) reject(outageError())
    }
    this.#options.onChange(isOutage)
  }
}

function outageError(): UnavailableError {
  return new UnavailableError('Postgres does not respond')
}
