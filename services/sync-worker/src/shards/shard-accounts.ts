import type { Lease } from '../store/lease.ts'
import type { LoginCounts } from './login-rate.ts'
import type { AccountLoad } from './memory-budget.ts'

/**
 * Observer of this worker's shards (groups of accounts), which starts and stops the work on shards.
 */
export interface ShardObserver {
  /** Called when this worker has leased further shards (groups of accounts). */
  claimed(leases: readonly Lease[]): Promise<void>
  /**
   * Stops all work on shards (groups of accounts) that this worker releases or has lost. A released
   * shard becomes free after the promise resolves.
   */
  released(shards: readonly number[]): Promise<void>
}

/** Accounts of this worker's leased shards (groups of accounts). */
export interface ShardAccounts {
  /** True if the account sessions of all leased shards have been started. */
  readonly listed: boolean
  /** Number of accounts of claimed shards whose first attempt to connect has not ended. */
  readonly moving: number
  load(): AccountLoad
  /** Number of accounts of each shard that will log in when another worker takes the shard. */
  logins(): ReadonlyMap<number, LoginCounts>
  /** Shards (groups of accounts) in which at least one account is logged in. */
  loggedInShards(): ReadonlySet<number>
  /**
   * Shards (groups of accounts) in which the first attempt to connect of at least one account has
   * ended.
   */
  attemptedShards(): ReadonlySet<number>
}
