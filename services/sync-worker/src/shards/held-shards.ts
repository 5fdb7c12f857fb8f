import { shardOf } from '@posthorn/contracts/shards'
import { type Clock, monotonicClock } from '@posthorn/flow'
import type { Lease } from '../store/lease.ts'
import type { ShardObserver } from './shard-accounts.ts'

/** Epoch of a shard that no worker held before. */
const firstEpoch = '1'

/** Shards that this worker holds, with the times at which other workers ceased to hold them. */
export class HeldShards implements ShardObserver {
  readonly #clock: Clock
  /** Time of the claim; undefined for shards that no worker held before. */
  readonly #claimedAt = new Map<number, number | undefined>()

  constructor(clock: Clock = monotonicClock) {
    this.#clock = clock
  }

  /** True if this worker holds the shard of the account. */
  hasAccount(account: string): boolean {
    return this.#claimedAt.has(shardOf(account))
  }

  /**
   * Time since which no other worker holds the account. Undefined if no other worker held the
   * account before.
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
