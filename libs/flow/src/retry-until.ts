import type { Backoff } from './backoff.ts'
import { sleep } from './sleep.ts'

export interface RetryOptions {
  /** Delay of the retry after the n-th failed attempt, or a constant delay. */
  delayMs: Backoff | number
  /**
   * Signal that ends the retries; also interrupts a delay. The retried function has to observe the
   * signal itself.
   */
  signal?: AbortSignal
  /** Maximum attempts of the retried function, the first included. Default: no limit. */
  maxAttempts?: number
  /** True if the error of an attempt is temporary. Default: every error is temporary. */
  isRetryable?: (error: unknown) => boolean
  /** Called before the delay of each retry, with the error of the last attempt. */
  onRetry?: (error: unknown, attempt: number) => void
}

/**
 * Runs `work` until it succeeds. Rejects with the error of `work` if that error is not retryable or
 * the attempts are used up, and with the signal's reason if the signal aborts between attempts.
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
