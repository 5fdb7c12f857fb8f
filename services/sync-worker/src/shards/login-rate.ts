import type { Config } from '../config.ts'

/**
 * Maximum logins per second that this worker starts at one host of a mail server. All live workers
 * may log in at the host, so each worker gets an equal part of the configured limit.
 */
export class LoginRate {
  /** Number of live sync-workers. */
  workers = 1
  readonly #total: number

  constructor(total: number) {
    this.#total = total
  }

  get perSecond(): number {
    return this.#total / this.workers
  }
}

/** Number of accounts per host name or IP address of a mail server at which logins are limited. */
export type LoginCounts = ReadonlyMap<string, number>

/**
 * Computes the seconds that one of `workers` sync-workers needs for the logins of a shard (group of
 * accounts). Each worker has an equal part of the logins per second of a mail server's host. The
 * logins at all hosts together are limited to `concurrent` per second.
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

/**
 * Adds up the numbers of accounts to log in of several shards, by host name or IP address of the
 * mail server.
 */
export function mergeLogins(counts: Iterable<LoginCounts | undefined>): LoginCounts {
  const merged = new Map<string, number>()
  for (const byKey of counts)
    for (const [key, count] of byKey ?? []) merged.set(key, (merged.get(key) ?? 0) + count)
  return merged
}

/**
 * Sum of the numbers of accounts to log in, over all host names and IP addresses of mail servers.
 */
export function sumOf(logins: LoginCounts): number {
  let sum = 0
  for (const count of logins.values()) sum += count
  return sum
}
