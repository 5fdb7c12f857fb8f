const firstMs = 100
const longestMs = 5_000

/**
 * Milliseconds to wait before the n-th try (0 is the first repeat): 100 ms doubling to 5 s, of which a random half is taken off, so that
 * the processes that lost a broker together do not come back together.
 */
export function backoffMs(failures: number): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 10))
  return Math.round(whole * (0.5 + Math.random() / 2))
}

/** How long a delivery that failed for now is held before it goes back to its queue: 100 ms doubling to 5 s with each redelivery. */
export function holdMs(redeliveries: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(redeliveries, 10))
}
