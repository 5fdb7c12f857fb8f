import { shardCount } from '@posthorn/contracts/shards'
import type { LiveWorker } from '../store/workers.ts'

/**
 * Properties of a sync-worker by which the shards (groups of accounts) are divided among the
 * workers.
 */
export type WorkerLoad = Pick<LiveWorker, 'stopping' | 'refusing' | 'shards'>

/**
 * Computes the fair share: the maximum number of shards (groups of accounts) of a sync-worker. A
 * stopping worker gets no shards. A worker that refuses further shards keeps at most an equal part
 * of all shards. The other workers share the remaining shards.
 */
export function fairShare(worker: WorkerLoad, workers: readonly WorkerLoad[]): number {
  if (worker.stopping) return 0
  const running = workers.filter(({ stopping }) => !stopping)
  const equal = Math.ceil(shardCount / Math.max(running.length, 1))
  const kept = ({ shards }: WorkerLoad) => Math.min(shards, equal)
  if (worker.refusing) return kept(worker)
  const refusing = running.filter((each) => each.refusing)
  const rest = refusing.reduce((free, each) => free - kept(each), shardCount)
  return Math.ceil(rest / Math.max(running.length - refusing.length, 1))
}

/**
 * Returns the sync-workers that share the shards (groups of accounts), as the worker `id` counts
 * them. A worker that an operator has released counts itself as running if no other worker runs,
 * because its shards would have no holder otherwise.
 */
export function resumeIfAlone(workers: readonly LiveWorker[], id: string): readonly LiveWorker[] {
  if (workers.some(({ stopping }) => !stopping)) return workers
  return workers.map((worker) => (worker.id === id ? { ...worker, stopping: false } : worker))
}

/**
 * Number of shards (groups of accounts) that are available to a sync-worker below its fair share.
 * Counts shards without a live worker, and shards that other workers hold above their fair shares.
 */
export function countAvailable(self: WorkerLoad, workers: readonly WorkerLoad[]): number {
  const others = workers.filter((worker) => worker !== self)
  const surplus = others.map((worker) => Math.max(0, worker.shards - fairShare(worker, workers)))
  const held = workers.reduce((sum, { shards }) => sum + shards, 0)
  return surplus.reduce((sum, shards) => sum + shards, shardCount - held)
}

/**
 * Ids of the sync-workers below their fair share, which claim the shards (groups of accounts) that
 * other workers release.
 */
export function listReceivers(workers: readonly LiveWorker[]): string[] {
  const receivers = workers.filter((worker) => worker.shards < fairShare(worker, workers))
  return receivers.map(({ id }) => id)
}
