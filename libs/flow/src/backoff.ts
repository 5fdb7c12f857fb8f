/**
 * Function that returns the delay in milliseconds before the retry after the n-th failed attempt,
 * from 1; 0 for n < 1.
 */
export type Backoff = (attempt: number, random?: () => number) => number

export interface BackoffOptions {
  /** Delay of a retry after the first failed attempt, before jitter. */
  baseMs: number
  /** Maximum delay of a retry before jitter. Default: none. */
  maxMs?: number
  /** Growth of the retry delay per attempt. Default 2. */
  factor?: number
  /** Largest part of the retry delay that is subtracted at random, 0 to 1. Default 0. */
  jitter?: number
}

/**
 * Creates an exponential backoff of retries with subtractive jitter: the undiminished delay is an
 * upper bound. Delays are rounded to whole milliseconds. `random` returns 0 for the full delay,
 * near 1 for the shortest.
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

/** Creates a backoff of retries with listed delays; attempts beyond the list wait 0 ms. */
export function fixedBackoff(delaysMs: readonly number[], jitter = 0): Backoff {
  return (attempt, random = Math.random) => jittered(delaysMs[attempt - 1] ?? 0, jitter, random)
}

function jittered(delayMs: number, jitter: number, random: () => number): number {
  return Math.round(jitter === 0 ? delayMs : delayMs * (1 - jitter * random()))
}
