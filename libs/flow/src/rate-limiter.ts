import { type Clock, monotonicClock } from './clock.ts'

export interface RateLimiterOptions {
  /** Permits of the rate limiter per second. A function is evaluated whenever a permit is taken. */
  perSecond: number | (() => number)
  /**
   * Permits of the rate limiter that are available immediately after a period without use. Default
   * 1.
   */
  burst?: number
  /**
   * Alternative to `burst`: time that permits of the rate limiter may run ahead of an even pace.
   */
  toleranceMs?: number
  clock?: Clock
}

/**
 * Rate limiter: permits per time, evenly paced after a burst (generic cell rate algorithm). The
 * state is one number.
 *
 * `acquire` is FIFO. Callers of `tryAcquire` do not overtake waiting callers. Disposal is not
 * needed: a timer exists only while callers wait.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #clock: Clock
  readonly #waiters = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Time at which all permits so far would have been taken at an even pace. */
  #pacedUntil = -Infinity

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#clock = options.clock ?? monotonicClock
  }

  /**
   * Milliseconds until the next permit of the rate limiter; 0 if a permit is free now. Ignores
   * waiting callers.
   */
  get delayMs(): number {
    return Math.max(0, this.#pacedUntil - this.#toleranceMs - this.#clock())
  }

  /** True if the rate limiter is in the state of a new limiter, so that it may be dropped. */
  get isIdle(): boolean {
    return this.#waiters.size === 0 && this.#pacedUntil <= this.#clock()
  }

  /** Takes a permit of the rate limiter even if no permit is free, which delays later permits. */
  take(): void {
    this.#pacedUntil = Math.max(this.#pacedUntil, this.#clock()) + this.#intervalMs
  }

  /** Takes a permit of the rate limiter if a permit is free and no caller waits. */
  tryAcquire(): boolean {
    if (this.#waiters.size > 0 || this.delayMs > 0) return false
    this.take()
    return true
  }

  /**
   * Waits for a permit of the rate limiter. Rejects with the signal's reason; then no permit was
   * taken.
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
