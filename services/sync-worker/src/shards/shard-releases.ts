import type { Db } from '@posthorn/db'
import { Semaphore, TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from '../config.ts'
import type { Lease } from '../store/lease.ts'
import { addLogins, reserveLogins } from '../store/workers.ts'
import { releaseShard } from '../store/shards.ts'
import { loginSeconds, mergeLogins, sumOf } from './login-rate.ts'
import type { ShardAccounts, ShardObserver } from './shard-accounts.ts'

export interface ShardReleasesOptions {
  db: Db
  config: Pick<Config, 'logins'>
  observer: Pick<ShardObserver, 'released'>
  accounts: Pick<ShardAccounts, 'logins' | 'loggedInShards' | 'attemptedShards'>
  log: Logger
}

/**
 * Sync-workers that claim released shards (groups of accounts), and when these workers are ready
 * for more logins.
 */
export interface Receivers {
  /** Ids of the workers that claim released shards (groups of accounts). */
  ids: readonly string[]
  /**
   * Number of live workers, which share the permitted logins per second of a mail server's host.
   */
  workers: number
  /**
   * A receiver (worker that claims released shards) is ready for more shards this long before the
   * end of its current logins.
   */
  aheadMs: number
}

/**
 * Maximum account sessions that are ended concurrently. Each session sends a LOGOUT and may store
 * the account status.
 */
const maxLogouts = 2_000

/** Releases shards to other workers: ends the account sessions of a shard, then frees the shard. */
export class ShardReleases {
  readonly #options: ShardReleasesOptions
  /** Shards that are being released and whose account sessions have not ended. */
  readonly #pending = new Set<number>()
  readonly #releases: TaskGroup
  readonly #logouts = new Semaphore(maxLogouts)

  constructor(options: ShardReleasesOptions) {
    this.#options = options
    const onError = (err: unknown) => options.log.warn({ err }, 'releasing a shard failed')
    this.#releases = new TaskGroup({ onError })
  }

  get pending(): ReadonlySet<number> {
    return this.#pending
  }

  /**
   * Selects the shards to release now: shards whose accounts the receivers (workers that claim the
   * shards) are ready to log in. A shard without logged-in accounts can always be released, because
   * its accounts wait for their logins at this worker, too. The logins of such a shard still count
   * for the next shards.
   */
  async selectReady(
    shards: readonly number[],
    { ids, workers, aheadMs }: Receivers,
  ): Promise<number[]> {
    if (ids.length === 0) return []
    const { db, accounts, config } = this.#options
    const [logins, loggedIn] = [accounts.logins(), accounts.loggedInShards()]
    const secondsOf = (each: readonly number[]) =>
      loginSeconds(mergeLogins(each.map((shard) => logins.get(shard))), workers, config.logins)
    const ready = shards.filter((shard) => !loggedIn.has(shard))
    const idleSeconds = secondsOf(ready)
    if (idleSeconds > 0) await addLogins(db, { receivers: ids, seconds: idleSeconds })
    for (const shard of shards.filter((each) => loggedIn.has(each))) {
      const reservation = { receivers: ids, seconds: secondsOf([shard]), aheadMs }
      if (reservation.seconds > 0 && !(await reserveLogins(db, reservation))) break
      ready.push(shard)
    }
    return ready
  }

  /** Selects shards whose accounts never tried to log in, in total with `count` accounts. */
  selectUntried(shards: readonly number[], count: number): number[] {
    const { accounts } = this.#options
    const [logins, attempted] = [accounts.logins(), accounts.attemptedShards()]
    const selected: number[] = []
    let missing = count
    for (const shard of shards.toSorted((a, b) => b - a)) {
      const held = sumOf(mergeLogins([logins.get(shard)]))
      if (missing <= 0) break
      if (held === 0 || attempted.has(shard)) continue
      selected.push(shard)
      missing -= held
    }
    return selected
  }

  /** Releases shards (groups of accounts) to other workers in the background. */
  start(leases: readonly Lease[]): void {
    const logins = this.#options.accounts.logins()
    for (const lease of leases) {
      this.#pending.add(lease.shard)
      this.#releases.run(this.#release(lease, sumOf(mergeLogins([logins.get(lease.shard)]))))
    }
  }

  /** Waits until all started releases of shards (groups of accounts) have ended. */
  drain(): Promise<void> {
    return this.#releases.drain()
  }

  async #release(lease: Lease, logouts: number): Promise<void> {
    const { db, observer, log } = this.#options
    const { shard } = lease
    try {
      using _permit = await this.#logouts.acquire(undefined, logouts)
      await observer.released([shard])
      await releaseShard(db, lease)
      log.debug({ shard, accounts: logouts }, 'released shard')
    } finally {
      this.#pending.delete(shard)
    }
  }
}
