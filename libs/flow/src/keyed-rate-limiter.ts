import { RateLimiter, type RateLimiterOptions } from './rate-limiter.ts'
import { TtlCache } from './ttl-cache.ts'

export interface KeyedRateLimiterOptions extends RateLimiterOptions {
  /**
   * Maximum number of keys with a rate limiter in memory. If there are more keys, the least
   * recently used key is evicted and later starts again with a full burst.
   */
  maxKeys: number
}

/** Rate limiter per key. Callers can only take free permits, and cannot wait for a permit. */
export class KeyedRateLimiter {
  readonly #options: RateLimiterOptions
  readonly #limiters: TtlCache<string, RateLimiter>

  constructor({ maxKeys, ...options }: KeyedRateLimiterOptions) {
    this.#options = options
    this.#limiters = new TtlCache({ max: maxKeys })
  }

  /**
   * Takes a permit of the rate limiter for the key and returns true, or returns false if no permit
   * is free.
   */
  tryAcquire(key: string): boolean {
    return this.#limiters.getOrCreate(key, () => new RateLimiter(this.#options)).tryAcquire()
  }
}
