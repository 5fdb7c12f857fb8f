/**
 * Rejection of a call that would wait for its quota for longer than its limit. Nothing was taken.
 */
export class RateLimitedError extends Error {
  override name = 'RateLimitedError'
  /** Expected time until a new call can run, more than 0. An estimate if other calls wait. */
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('the rate limit is exhausted')
    this.retryAfterMs = retryAfterMs
  }
}
