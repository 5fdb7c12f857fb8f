import { hash } from 'node:crypto'

/**
 * Number of shards (groups) into which accounts are divided. The number must not change, because
 * the shard of each account is stored.
 */
export const shardCount = 256
/** Number of event queues. Each queue receives the events of 16 shards (groups of accounts). */
export const eventPartitions = 16

/**
 * Shard (group) to which an account belongs: the first byte of the SHA-256 hash of the account id.
 */
export function shardOf(account: string): number {
  return Number.parseInt(hash('sha256', account, 'hex').slice(0, 2), 16)
}

export function partitionOf(shard: number): number {
  return shard % eventPartitions
}
