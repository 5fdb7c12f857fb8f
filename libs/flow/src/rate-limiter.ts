import { type Clock, monotonicClock } from './clock.ts'

export interface RateLimiterOptions {
  /**
   * Number of permits per second of the rate limiter, or a function for the number that is called
   * whenever a permit is taken.
   */
  perSecond: number | (() => number)
  /**
   * Number of permits that are available immediately after the rate limiter was unused for a while.
   * Defaults to 1.
   */
  burst?: number
  /**
   * How much earlier, in milliseconds, permits of the rate limiter may be taken than if they were
   * evenly spaced. If set, `burst` has no effect.
   */
  toleranceMs?: number
  clock?: Clock
}

/**
 * Rate limiter: a number of permits per time. After a burst, permits are evenly spaced (generic
 * cell rate algorithm). The state is a single number.
 *
 * `acquire` is FIFO. `tryAcquire` never overtakes waiting callers. Disposal is not needed, because
 * a timer exists only while callers wait.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #clock: Clock
  readonly #waiters = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /**
   * Time at which all permits that were taken from the rate limiter would have been used up at an
   * even pace.
   */
  #pacedUntil = -Infinity

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#clock = options.clock ?? monotonicClock
  }

  /**
   * Milliseconds until the next permit of the rate limiter is free. 0 if a permit is free now.
   * Waiting callers are not considered.
   */
  get delayMs(): number {
    return Math.max(0, this.#pacedUntil - this.#toleranceMs - this.#clock())
  }

  /**
   * True if the rate limiter has the state of a new rate limiter, so that it can be removed from
   * memory.
   */
  get isIdle(): boolean {
    return this.#waiters.size === 0 && this.#pacedUntil <= this.#clock()
  }

  /**
   * Takes a permit of the rate limiter even if no permit is free. Later permits are then delayed.
   */
  take(): void {
    this.#pacedUntil = Math.max(this.#pacedUntil, this.#clock()) + this.#intervalMs
  }

  /**
   * Takes a permit of the rate limiter and returns true if a permit is free and no caller is
   * waiting. Otherwise returns false.
   */
  tryAcquire(): boolean {
    if (this.#waiters.size > 0 || this.delayMs > 0) return false
    this.take()
    return true
  }

  /**
   * Waits for a permit of the rate limiter. If `signal` aborts first, rejects with the reason of
   * the signal and takes no permit.
   */
  acquire(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    if (this.tryAcquire()) return Promise.resolve()
    return new Promise<void>((resolve, reject) => {
      const admit = () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      const onAbort = () => {
        this.#waiters.delete(admit)
        if (this.#waiters.size === 0) clearTimeout(this.#timer)
        reject(signal?.reason as Error)
      }
      this.#waiters.add(admit)
      signal?.addEventListener('abort', onAbort, { once: true })
      if (this.#waiters.size === 1) this.#admitLater()
    })
  }

  get #intervalMs(): number {
    const { perSecond } = this.#options
    return 1_000 / (typeof perSecond === 'function' ? perSecond() : perSecond)
  }

  get #toleranceMs(): number {
    const { burst = 1, toleranceMs } = this.#options
    return toleranceMs ?? (burst - 1) * this.#intervalMs
  }

  #admitLater(): void {
    this.#timer = setTimeout(() => this.#admit(), Math.ceil(this.delayMs))
  }

  #admit(): void {
    for (const admit of this.#waiters) {
      if (this.delayMs > 0) return this.#admitLater()
      this.#waiters.delete(admit)
      this.take()
      admit()
    }
  }
}
