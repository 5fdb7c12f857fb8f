import type { Clock } from './clock.ts'

/** Rate of a quota: units per time window. */
export interface QuotaRate {
  /** Maximum quota units in any window of `windowMs`. */
  units: number
  windowMs: number
  /**
   * Quota units available immediately after a period without use, less than `units`. The other
   * units are paced evenly over the window, so that no window has more than `units`.
   */
  burst: number
}

/** Units of a bucket at a time. Negative units are a debt, and the time may be in the future. */
export interface BucketStart {
  at: number
  units: number
}

/** Token bucket of quota units. Its state is two numbers. */
export class UnitBucket {
  readonly #rateOf: () => QuotaRate
  readonly #clock: Clock
  #level: number
  #updatedAt: number

  /** Creates a token bucket. The rate of units is evaluated at each call, and may change. */
  constructor(rateOf: () => QuotaRate, clock: Clock) {
    this.#rateOf = rateOf
    this.#clock = clock
    this.#level = rateOf().burst
    this.#updatedAt = clock()
  }

  /**
   * Milliseconds until the quota units are available. Units above the burst count as the burst;
   * taking these units delays later units.
   */
  delayMs(units: number): number {
    const { burst, perMs } = this.#refill()
    return Math.max(0, (Math.min(units, burst) - this.#level) / perMs)
  }

  /** Milliseconds until `units` quota units in total can have been taken, one after the other. */
  delayOfAllMs(units: number): number {
    const { perMs } = this.#refill()
    return Math.max(0, (units - this.#level) / perMs)
  }

  /** Takes quota units even if no units are available, which delays later units. */
  take(units: number): void {
    this.#refill()
    this.#level -= units
  }

  /** Replaces the state of the bucket, as another process used the same quota until `at`. */
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
