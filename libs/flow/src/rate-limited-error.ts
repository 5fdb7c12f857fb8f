/**
 * Error of a call that was rejected because it would wait too long for its quota. The call has
 * taken no quota units.
 */
export class RateLimitedError extends Error {
  override name = 'RateLimitedError'
  /**
   * Expected time until the quota limiter can run another call. Always more than 0. Only an
   * estimate if other calls are waiting.
   */
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('the rate limit is exhausted')
    this.retryAfterMs = retryAfterMs
  }
}
