/**
 * Milliseconds to wait after the n-th failed attempt (n from 1): base, 2·base, 4·base …, each shortened by up to 20 % so that what
 * failed together does not come back together. With a base of 5 s ten attempts take 34 to 43 minutes.
 */
export function retryDelayMs(
  attempt: number,
  baseMs: number,
  random: () => number = Math.random,
): number {
  const bound = baseMs * 2 ** Math.min(attempt - 1, 20)
  return Math.round(bound * (1 - 0.2 * random()))
}

/** How long a server or an account that does not work is left alone after so many failures in a row. Never far beyond one attempt's wait. */
export function suspensionMs(failures: number, baseMs: number): number {
  return baseMs * 2 ** Math.min(failures - 1, 5)
}
