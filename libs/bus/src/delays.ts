import { backoff } from '@posthorn/flow'

/**
 * Delay in milliseconds before attempt n + 1 to connect. Up to half of it is random, so that
 * processes that lost a broker together do not reconnect together.
 */
export const reconnectDelayMs = backoff({ baseMs: 100, maxMs: 5_000, jitter: 0.5 })

const byAttempt = backoff({ baseMs: 100, maxMs: 5_000 })

/** Default delay before a failed delivery returns to its queue, by the number of redeliveries. */
export function defaultRedeliveryDelayMs(redeliveries: number): number {
  return byAttempt(redeliveries + 1)
}
