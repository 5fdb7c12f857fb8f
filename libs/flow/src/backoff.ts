/**
 * Function that returns the delay in milliseconds before a retry. `attempt` is the number of failed
 * attempts so far. Without failed attempts, the delay is 0.
 */
export type Backoff = (attempt: number, random?: () => number) => number

export interface BackoffOptions {
  /** Delay in milliseconds before the first retry, from which jitter is subtracted. */
  baseMs: number
  /** Maximum delay before a retry, before jitter is subtracted. Defaults to no maximum. */
  maxMs?: number
  /** Factor by which the delay before a retry grows with each failed attempt. Defaults to 2. */
  factor?: number
  /**
   * Largest part of the delay before a retry that is subtracted at random, from 0 to 1. Defaults to
   * 0.
   */
  jitter?: number
}

/**
 * Creates an exponential backoff for retries. Jitter is only subtracted, so that the delay without
 * jitter is an upper bound. Delays are rounded to whole milliseconds. If `random` returns 0, the
 * full delay applies. Numbers near 1 give the shortest delay.
 */
export function backoff({
  baseMs,
  maxMs = Infinity,
  factor = 2,
  jitter = 0,
}: BackoffOptions): Backoff {
  return (attempt, random = Math.random) =>
    attempt < 1 ? 0 : jittered(Math.min(maxMs, baseMs * factor ** (attempt - 1)), jitter, random)
}

/**
 * Creates a backoff for retries from a list of delays. After the last listed delay, all delays are
 * 0.
 */
export function fixedBackoff(delaysMs: readonly number[], jitter = 0): Backoff {
  return (attempt, random = Math.random) => jittered(delaysMs[attempt - 1] ?? 0, jitter, random)
}

function jittered(delayMs: number, jitter: number, random: () => number): number {
  return Math.round(jitter === 0 ? delayMs : delayMs * (1 - jitter * random()))
}
