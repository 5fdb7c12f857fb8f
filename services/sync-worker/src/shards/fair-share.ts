import { shardCount } from '@posthorn/contracts'

/** Maximum shards per worker. */
export function fairShare(workers: number): number {
  return Math.ceil(shardCount / Math.max(workers, 1))
}

/** Maximum shards released at a time: each moves the sessions of its accounts to another worker. */
const maxRelease = 16

/**
 * Steps towards the fair share of this worker: number of shards to claim, and shards to release,
 * those with the highest numbers.
 */
export function balance(shards: readonly number[], workers: number) {
  const share = fairShare(workers)
  const surplus = Math.min(shards.length - share, maxRelease)
  if (surplus <= 0) return { claim: share - shards.length, release: [] }
  return { claim: 0, release: shards.toSorted((a, b) => b - a).slice(0, surplus) }
}
