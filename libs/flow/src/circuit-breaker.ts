import { type Clock, monotonicClock } from './clock.ts'

export interface CircuitBreakerOptions {
  /** Number of consecutive failures of calls that open the circuit breaker. */
  failureThreshold: number
  /**
   * Duration of the circuit breaker's n-th opening since the last success, from 1. See `backoff`.
   */
  openMs: (opening: number) => number
  /**
   * If false, a success while the circuit breaker is open resets the counts, but calls stay blocked
   * until the time is over. Default true: the success closes the breaker.
   */
  successCloses?: boolean
  clock?: Clock
}

type CircuitState = 'closed' | 'open' | 'half-open'

/**
 * Circuit breaker: stops calls after consecutive failures, then admits one probe at a time until a
 * call succeeds.
 *
 * | state | trigger | next |
 * |---|---|---|
 * | closed | `failureThreshold`-th consecutive failure | open |
 * | open | `openMs` elapsed | half-open |
 * | half-open | success | closed |
 * | half-open | failure | open, for the next `openMs` |
 *
 * Failures of calls that started before the breaker opened are counted, but extend nothing. Callers
 * that limit concurrency themselves may ignore `tryAcquire` and use `isOpen` and
 * `consecutiveFailures`.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions
  readonly #clock: Clock
  #failures = 0
  #openings = 0
  #openUntil = -Infinity
  #isProbing = false

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
    this.#clock = options.clock ?? monotonicClock
  }

  get state(): CircuitState {
    if (this.isOpen) return 'open'
    return this.#openings > 0 ? 'half-open' : 'closed'
  }

  get isOpen(): boolean {
    return this.#clock() < this.#openUntil
  }

  /** Milliseconds until the circuit breaker admits calls again; 0 unless open. */
  get remainingMs(): number {
    return Math.max(0, this.#openUntil - this.#clock())
  }

  /**
   * End of the circuit breaker's last opening, by the clock of the breaker; -Infinity if never
   * opened.
   */
  get openUntil(): number {
    return this.#openUntil
  }

  get consecutiveFailures(): number {
    return this.#failures
  }

  /** True if the circuit breaker is in the state of a new breaker, so that it may be dropped. */
  get isIdle(): boolean {
    return this.#failures === 0 && !this.#isProbing && !this.isOpen
  }

  /**
   * True if the circuit breaker admits a call now. The caller then reports `success`, `failure` or
   * `cancel`. In the state half-open only one call at a time is admitted.
   */
  tryAcquire(): boolean {
    if (this.isOpen || this.#isProbing) return false
    this.#isProbing = this.#openings > 0
    return true
  }

  success(): void {
    this.#failures = 0
    this.#openings = 0
    this.#isProbing = false
    if (this.#options.successCloses !== false) this.#openUntil = -Infinity
  }

  /**
   * Counts the failure of a call. `retryAfterMs` blocks calls at least that long and is no opening
   * of the breaker.
   */
  failure(retryAfterMs = 0): void {
    const mayOpen = this.#isProbing || !this.isOpen
    this.#isProbing = false
    this.#failures += 1
    this.block(retryAfterMs)
    if (!mayOpen || this.#failures < this.#options.failureThreshold) return
    this.#openings += 1
    this.block(this.#options.openMs(this.#openings))
  }

  /** Ends a call whose result does not show whether the called service works. */
  cancel(): void {
    this.#isProbing = false
  }

  /** Blocks calls for at least `ms` milliseconds, without counting a failure: for `Retry-After`. */
  block(ms: number): void {
    if (ms > 0) this.#openUntil = Math.max(this.#openUntil, this.#clock() + ms)
  }

  /** Returns the circuit breaker to its initial state: for a changed callee. */
  reset(): void {
    this.success()
    this.#openUntil = -Infinity
  }
}
