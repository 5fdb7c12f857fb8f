/** Delay in milliseconds before the retry after the n-th failed attempt, from 1; 0 for n < 1. */
export type Backoff = (attempt: number, random?: () => number) => number

export interface BackoffOptions {
  /** Delay after the first failed attempt, before jitter. */
  baseMs: number
  /** Maximum delay before jitter. Default: none. */
  maxMs?: number
  /** Growth of the delay per attempt. Default 2. */
  factor?: number
  /** Largest part of the delay that is subtracted at random, 0 to 1. Default 0. */
  jitter?: number
}

/**
 * Exponential backoff with subtractive jitter: the undiminished delay is an upper bound. Rounded to
 * whole milliseconds. `random` returns 0 for the full delay, near 1 for the shortest.
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

/** Backoff with listed delays; attempts beyond the list wait 0 ms. */
export function fixedBackoff(delaysMs: readonly number[], jitter = 0): Backoff {
  return (attempt, random = Math.random) => jittered(delaysMs[attempt - 1] ?? 0, jitter, random)
}

function jittered(delayMs: number, jitter: number, random: () => number): number {
  return Math.round(jitter === 0 ? delayMs : delayMs * (1 - jitter * random()))
}
