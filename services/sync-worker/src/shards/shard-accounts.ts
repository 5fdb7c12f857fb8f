import type { Lease } from '../store/lease.ts'
import type { LoginCounts } from './login-rate.ts'
import type { AccountLoad } from './memory-budget.ts'

/** Observer of this worker's shards, which starts and stops the work on shards. */
export interface ShardObserver {
  /** Called when this worker has leased shards. */
  claimed(leases: readonly Lease[]): Promise<void>
  /**
   * Stops all work on shards. The shards are lost already, or are released when the promise
   * resolves.
   */
  released(shards: readonly number[]): Promise<void>
}

/** Accounts of this worker's leased shards. */
export interface ShardAccounts {
  /** True if the sessions of all leased shards have been started. */
  readonly listed: boolean
  /** Accounts of claimed shards that have not ended their first attempt to connect. */
  readonly moving: number
  load(): AccountLoad
  /** Numbers of accounts that will log in at the next holder of their shard, by shard. */
  logins(): ReadonlyMap<number, LoginCounts>
  /** Shards with an account that is logged in. */
  loggedInShards(): ReadonlySet<number>
  /** Shards with an account whose first attempt to connect has ended. */
  attemptedShards(): ReadonlySet<number>
}
