/** Attempts of one delivery, the first one included. Interface spec, "Limits". */
export const maxAttempts = 10

/**
 * How long to wait after the n-th failed attempt: between 80 and 100 % of a bound that doubles each time. With a base of 5 s:
 *
 * | after attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |
 * |---|---|---|---|---|---|---|---|---|---|
 * | bound in s | 5 | 10 | 20 | 40 | 80 | 160 | 320 | 640 | 1280 |
 *
 * So the tenth comes 34 to 43 minutes after the first. The jitter only shortens: the bound is what may be relied on.
 */
export function waitMs(
  attempt: number,
  baseMs: number,
  random: () => number = Math.random,
): number {
  return baseMs * 2 ** (attempt - 1) * (0.8 + 0.2 * random())
}
