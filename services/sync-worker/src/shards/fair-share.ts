import { shardCount } from '@posthorn/contracts'

/** How many shards each of so many workers should hold at most. */
export function fairShare(workers: number): number {
  return Math.ceil(shardCount / Math.max(workers, 1))
}

export interface Balance {
  /** How many more to claim. */
  claim: number
  /** Which to give back. */
  release: number[]
}

/** How many are given back in one go: each moves the sessions of its accounts to another process. */
const releaseStep = 16

/** What to do so that this worker comes nearer to its fair share. Shards with the highest numbers go first. */
export function balance(held: readonly number[], workers: number): Balance {
  const share = fairShare(workers)
  const surplus = Math.min(held.length - share, releaseStep)
  if (surplus <= 0) return { claim: share - held.length, release: [] }
  return { claim: 0, release: held.toSorted((a, b) => b - a).slice(0, surplus) }
}
