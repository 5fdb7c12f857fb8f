import { type Clock, monotonicClock } from '@posthorn/flow'
import type { Config } from '../config.ts'
import { loginSeconds, mergeLogins } from './handover.ts'
import type { LeasedShards } from './leased-shards.ts'
import type { ShardAccounts } from './shard-accounts.ts'
import type { LoginRate } from './login-rate.ts'

export interface TakeoverOptions {
  shards: Pick<LeasedShards, 'isTaking'>
  /** Live workers share the logins of a host. */
  loginRate: Pick<LoginRate, 'workers'>
  accounts: Pick<ShardAccounts, 'listed' | 'logins' | 'moving'>
  logins: Pick<Config['logins'], 'perSecond' | 'concurrent'>
  clock?: Clock
}

/** Servers may take longer than the pace of logins, by this factor and this time. */
const tolerance = 1.25
const toleranceMs = 30_000

/**
 * Takeover of accounts from other workers: from the first missing shard until each moved account
 * has tried to log in. A rolling update replaces the next worker after the takeover.
 */
export class Takeover {
  readonly #options: TakeoverOptions
  readonly #clock: Clock
  #startedAt: number | undefined
  #isOverdue = false

  constructor(options: TakeoverOptions) {
    this.#options = options
    this.#clock = options.clock ?? monotonicClock
  }

  /** @throws Error while accounts are taken over, for no longer than the pace of logins allows */
  check(): void {
    const { shards, accounts } = this.#options
    if (!shards.isTaking && accounts.listed && accounts.moving === 0) {
      this.#startedAt = undefined
      this.#isOverdue = false
      return
    }
    this.#startedAt ??= this.#clock()
    // Once the takeover is overdue, accounts that arrive later change nothing.
    this.#isOverdue ||= this.#clock() - this.#startedAt >= this.#maxMs()
    if (!this.#isOverdue) throw new Error(`${accounts.moving} moved accounts are not logged in`)
  }

  /** Time that the logins of all accounts of this worker may take. */
  #maxMs(): number {
    const { loginRate, accounts, logins } = this.#options
    const counts = mergeLogins(accounts.logins().values())
    const seconds = loginSeconds(counts, loginRate.workers, logins)
    return seconds * 1_000 * tolerance + toleranceMs
  }
}
