import { type Clock, monotonicClock } from './clock.ts'

export interface CircuitBreakerOptions {
  /** Number of consecutive failed calls after which the circuit breaker opens. */
  failureThreshold: number
  /**
   * Function that returns for how long the circuit breaker stays open. `opening` counts the
   * openings since the last successful call, starting with 1. See `backoff`.
   */
  openMs: (opening: number) => number
  /**
   * False if a successful call must not close an open circuit breaker: only the counts are reset,
   * and calls stay blocked until the open time is over. By default, a successful call closes the
   * breaker.
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
 * If a call that started before the breaker opened fails, the failure is counted, but the breaker
 * does not stay open longer. Callers that limit concurrency themselves may use `isOpen` and
 * `consecutiveFailures` instead of `tryAcquire`.
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

  /**
   * Milliseconds until an open circuit breaker admits calls again. 0 if the circuit breaker is not
   * open.
   */
  get remainingMs(): number {
    return Math.max(0, this.#openUntil - this.#clock())
  }

  /**
   * Time at which the last opening of the circuit breaker ends or ended, by the clock of the
   * breaker. -Infinity if a success has closed the breaker, or if the breaker was never opened.
   */
  get openUntil(): number {
    return this.#openUntil
  }

  get consecutiveFailures(): number {
    return this.#failures
  }

  /**
   * True if the circuit breaker has the state of a new circuit breaker, so that it can be removed
   * from memory.
   */
  get isIdle(): boolean {
    return this.#failures === 0 && !this.#isProbing && !this.isOpen
  }

  /**
   * True if the circuit breaker admits a call now. The caller must then report the result of the
   * call with `success`, `failure` or `cancel`. In the state half-open, only one call at a time is
   * admitted.
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
   * Reports a failed call to the circuit breaker. With `retryAfterMs`, calls are blocked at least
   * for that time. Such a block does not count as an opening of the circuit breaker.
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

  /**
   * Reports a call to the circuit breaker whose result does not show whether the called service
   * works.
   */
  cancel(): void {
    this.#isProbing = false
  }

  /**
   * Makes the circuit breaker block calls for at least `ms` milliseconds without counting a
   * failure, for example after a `Retry-After` header.
   */
  block(ms: number): void {
    if (ms > 0) this.#openUntil = Math.max(this.#openUntil, this.#clock() + ms)
  }

  /**
   * Returns the circuit breaker to its initial state, for example when the called service was
   * replaced.
   */
  reset(): void {
    this.success()
    this.#openUntil = -Infinity
  }
}
