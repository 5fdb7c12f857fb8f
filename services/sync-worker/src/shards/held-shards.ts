import { shardOf } from '@posthorn/contracts/shards'
import { type Clock, monotonicClock } from '@posthorn/flow'
import type { Lease } from '../store/lease.ts'
import type { ShardObserver } from './shard-accounts.ts'

/**
 * Epoch (claim number) of the first claim of a shard (group of accounts). No worker held such a
 * shard before.
 */
const firstEpoch = '1'

/**
 * Shards (groups of accounts) that this worker holds. Also records when this worker took each shard
 * over from another worker.
 */
export class HeldShards implements ShardObserver {
  readonly #clock: Clock
  /**
   * Times at which this worker claimed the shards (groups of accounts) that it holds. Undefined for
   * a shard that no worker held before.
   */
  readonly #claimedAt = new Map<number, number | undefined>()

  constructor(clock: Clock = monotonicClock) {
    this.#clock = clock
  }

  /** True if this worker holds the shard of the account. */
  hasAccount(account: string): boolean {
    return this.#claimedAt.has(shardOf(account))
  }

  /**
   * Time since which no other worker has held the account. Undefined if no other worker ever held
   * the account.
   */
  heldSince(account: string): number | undefined {
    return this.#claimedAt.get(shardOf(account))
  }

  async claimed(leases: readonly Lease[]): Promise<void> {
    for (const { shard, epoch } of leases)
      this.#claimedAt.set(shard, epoch === firstEpoch ? undefined : this.#clock())
  }

  async released(shards: readonly number[]): Promise<void> {
    for (const shard of shards) this.#claimedAt.delete(shard)
  }
}
