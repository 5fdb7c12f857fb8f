import type { Config } from '../config.ts'

/**
 * Logins per second that this worker may start at one host. Each worker has an equal part of the
 * limit, because all live workers may log in at the host.
 */
export class LoginRate {
  /** Number of live workers. */
  workers = 1
  readonly #total: number

  constructor(total: number) {
    this.#total = total
  }

  get perSecond(): number {
    return this.#total / this.workers
  }
}

/** Number of accounts per key of the login limits: an address, or the name of a host. */
export type LoginCounts = ReadonlyMap<string, number>

/**
 * Time in seconds that one of `workers` workers needs for the logins of a shard. Each worker has an
 * equal part of the logins per second of a host. `concurrent` logins per second, at all hosts
 * together, bound the accounts in transit.
 */
export function loginSeconds(
  logins: LoginCounts,
  workers: number,
  { perSecond, concurrent }: Pick<Config['logins'], 'perSecond' | 'concurrent'>,
): number {
  const counts = [...logins.values()]
  const largest = Math.max(0, ...counts)
  return Math.max((largest * workers) / perSecond, sumOf(logins) / concurrent)
}

/** Merges the numbers of accounts of several shards by key of the login limits. */
export function mergeLogins(counts: Iterable<LoginCounts | undefined>): LoginCounts {
  const merged = new Map<string, number>()
  for (const byKey of counts)
    for (const [key, count] of byKey ?? []) merged.set(key, (merged.get(key) ?? 0) + count)
  return merged
}

/** Number of accounts in login counts. */
export function sumOf(logins: LoginCounts): number {
  let sum = 0
  for (const count of logins.values()) sum += count
  return sum
}
