/** Attempts of one delivery, the first one included. Interface spec, "Limits". */
export const maxAttempts = 10

/** When a delivery that failed is attempted again, and how often. */
export interface RetrySchedule {
  /** The first one included. */
  attempts: number
  /** How long to wait after the n-th failed attempt. */
  delayMs(attempt: number, random?: () => number): number
}

/**
 * The interface's schedule: between 80 and 100 % of a bound that doubles each time. With a base of 5 s:
 *
 * | after attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |
 * |---|---|---|---|---|---|---|---|---|---|
 * | bound in s | 5 | 10 | 20 | 40 | 80 | 160 | 320 | 640 | 1280 |
 *
 * So the tenth comes 34 to 43 minutes after the first. The jitter only shortens: the bound is what may be relied on.
 */
export function retryDelayMs(
  attempt: number,
  baseMs: number,
  random: () => number = Math.random,
): number {
  return jittered(baseMs * 2 ** (attempt - 1), random)
}

/** The schedule of a target: its own bounds, or the interface's. */
export function scheduleOf(waitsMs: readonly number[] | undefined, baseMs: number): RetrySchedule {
  if (!waitsMs)
    return {
      attempts: maxAttempts,
      delayMs: (attempt, random) => retryDelayMs(attempt, baseMs, random),
    }
  return {
    attempts: waitsMs.length + 1,
    delayMs: (attempt, random = Math.random) => jittered(waitsMs[attempt - 1] ?? 0, random),
  }
}

function jittered(boundMs: number, random: () => number): number {
  return boundMs * (0.8 + 0.2 * random())
}
