import { backoff, CircuitBreaker, type Clock, monotonicClock } from '@posthorn/flow'

/** CPU time above which a call counts as slow. */
const slowMs = 50
/** Consecutive slow calls that suspend the functions of a route. */
const failureThreshold = 3
const openMs = backoff({ baseMs: 10_000, maxMs: 600_000 })

/**
 * Suspends functions that are slow several times in a row, for a time that doubles with every slow
 * probe. Keeps them from delaying the events of all accounts.
 */
export class FunctionThrottle {
  readonly #breakers = new Map<string, CircuitBreaker>()
  readonly #clock: Clock

  constructor(clock: Clock = monotonicClock) {
    this.#clock = clock
  }

  isSuspended(functions: string): boolean {
    return this.#breakers.get(functions)?.isOpen === true
  }

  /** Records a call. `allowedMs`: additional time for large payloads. */
  record(functions: string, usedMs: number, allowedMs = 0): void {
    if (usedMs <= slowMs + allowedMs) {
      this.#breakers.delete(functions)
      return
    }
    const breaker =
      this.#breakers.get(functions) ??
      new CircuitBreaker({ failureThreshold, openMs, clock: this.#clock })
    this.#breakers.set(functions, breaker)
    breaker.failure()
  }

  /** Drops the state of all other functions. */
  retain(functions: ReadonlySet<string>): void {
    for (const key of this.#breakers.keys()) if (!functions.has(key)) this.#breakers.delete(key)
  }
}
