import { hash } from 'node:crypto'

/** Number of shards of accounts. Fixed, because accounts are stored with their shard. */
export const shardCount = 256
/** Number of event queues. Each queue receives the events of 16 shards. */
export const eventPartitions = 16

/** Shard of an account: the first byte of the SHA-256 hash of the account id. */
export function shardOf(account: string): number {
  return Number.parseInt(hash('sha256', account, 'hex').slice(0, 2), 16)
}

export function partitionOf(shard: number): number {
  return shard % eventPartitions
}
