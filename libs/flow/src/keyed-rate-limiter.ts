import { RateLimiter, type RateLimiterOptions } from './rate-limiter.ts'
import { TtlCache } from './ttl-cache.ts'

export interface KeyedRateLimiterOptions extends RateLimiterOptions {
  /**
   * Maximum keys with a rate limiter. The least recently used key is evicted and starts again with
   * a full burst.
   */
  maxKeys: number
}

/** Rate limiters by key: one rate limiter per key, for permits that callers do not wait for. */
export class KeyedRateLimiter {
  readonly #options: RateLimiterOptions
  readonly #limiters: TtlCache<string, RateLimiter>

  constructor({ maxKeys, ...options }: KeyedRateLimiterOptions) {
    this.#options = options
    this.#limiters = new TtlCache({ max: maxKeys })
  }

  /** Takes a permit of the key's rate limiter if a permit is free. */
  tryAcquire(key: string): boolean {
    return this.#limiters.getOrCreate(key, () => new RateLimiter(this.#options)).tryAcquire()
  }
}
