import { hash } from 'node:crypto'

/** How many shards the accounts are spread over. Never changes: it is stored with the accounts. */
export const shardCount = 256
/** How many queues the shards' events are spread over on their way to webhooks. */
export const eventPartitions = 16

/** The shard of an account: the first byte of the SHA-256 of its id. */
export function shardOf(account: string): number {
  return Number.parseInt(hash('sha256', account, 'hex').slice(0, 2), 16)
}

export function partitionOf(shard: number): number {
  return shard % eventPartitions
}
