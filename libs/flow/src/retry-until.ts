import type { Backoff } from './backoff.ts'
import { sleep } from './sleep.ts'

export interface RetryOptions {
  /**
   * Delay before the retry after the n-th failed attempt, or a constant delay before each retry.
   */
  delayMs: Backoff | number
  /**
   * Signal that ends the retries, even during a delay. To interrupt an attempt, the retried
   * function itself has to observe the signal.
   */
  signal?: AbortSignal
  /**
   * Maximum number of attempts of the retried function, including the first attempt. Defaults to no
   * limit.
   */
  maxAttempts?: number
  /**
   * Function that returns true if a retry makes sense after the error. By default, all errors are
   * retried.
   */
  isRetryable?: (error: unknown) => boolean
  /** Called before the delay of each retry, with the error and the number of the failed attempt. */
  onRetry?: (error: unknown, attempt: number) => void
}

/**
 * Runs `work` until an attempt succeeds. Rejects with the error of `work` if the error is not
 * retryable or no attempts are left. Rejects with the reason of the signal if the signal aborts
 * between attempts.
 */
export async function retryUntil<T>(
  work: (attempt: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { delayMs, signal, maxAttempts = Infinity, isRetryable, onRetry } = options
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted()
    try {
      return await work(attempt)
    } catch (error) {
      if (attempt >= maxAttempts || isRetryable?.(error) === false) throw error
      signal?.throwIfAborted()
      onRetry?.(error, attempt)
    }
    await sleep(typeof delayMs === 'number' ? delayMs : delayMs(attempt), signal)
  }
}
