import type { Clock } from './clock.ts'

/** Rate of a quota: a number of units per time window. */
export interface QuotaRate {
  /** Maximum number of quota units in any time window of `windowMs`. */
  units: number
  windowMs: number
  /**
   * Number of quota units that are available immediately after a period without use, less than
   * `units`. The remaining units become available evenly during the window, so that no window has
   * more than `units`.
   */
  burst: number
}

/**
 * Number of quota units in a token bucket at a certain time. A negative number is a debt. The time
 * may be in the future.
 */
export interface BucketStart {
  at: number
  units: number
}

/** Token bucket for quota units. The state of the bucket consists of two numbers. */
export class UnitBucket {
  readonly #rateOf: () => QuotaRate
  readonly #clock: Clock
  #level: number
  #updatedAt: number

  /** Creates a token bucket. `rateOf` is called by each operation, because the rate may change. */
  constructor(rateOf: () => QuotaRate, clock: Clock) {
    this.#rateOf = rateOf
    this.#clock = clock
    this.#level = rateOf().burst
    this.#updatedAt = clock()
  }

  /**
   * Milliseconds until a call may take its quota units from the token bucket. A call with more
   * units than the burst only waits for the burst, and taking its units delays later calls.
   */
  delayMs(units: number): number {
    const { burst, perMs } = this.#refill()
    return Math.max(0, (Math.min(units, burst) - this.#level) / perMs)
  }

  /**
   * Milliseconds until consecutive calls that need `units` quota units in total can have taken the
   * units from the token bucket.
   */
  delayOfAllMs(units: number): number {
    const { perMs } = this.#refill()
    return Math.max(0, (units - this.#level) / perMs)
  }

  /**
   * Takes quota units from the token bucket even if not enough units are available. Later calls are
   * then delayed.
   */
  take(units: number): void {
    this.#refill()
    this.#level -= units
  }

  /**
   * Replaces the state of the token bucket by the given units at the time `at`, because another
   * process used the quota until this time.
   */
  restart({ at, units }: BucketStart): void {
    this.#level = units
    this.#updatedAt = at
  }

  #refill(): { burst: number; perMs: number } {
    const { units, windowMs, burst } = this.#rateOf()
    const perMs = (units - burst) / windowMs
    const now = this.#clock()
    this.#level = Math.min(burst, this.#level + (now - this.#updatedAt) * perMs)
    this.#updatedAt = now
    return { burst, perMs }
  }
}
