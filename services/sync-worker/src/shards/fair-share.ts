import { shardCount } from '@posthorn/contracts/shards'
import type { LiveWorker } from '../store/shards.ts'

/** Load of a worker, which decides how many shards each worker gets. */
export type WorkerLoad = Pick<LiveWorker, 'stopping' | 'refusing' | 'shards'>

/**
 * Maximum shards of a worker among all live workers. A stopping worker gets no shards. A refusing
 * worker keeps at most its equal part and claims nothing; the other workers share the rest.
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
 * Number of shards that a worker below its fair share may still get. Counts shards that no live
 * worker holds, and shards that other workers hold above their fair shares.
 */
export function countAvailable(self: WorkerLoad, workers: readonly WorkerLoad[]): number {
  const others = workers.filter((worker) => worker !== self)
  const surplus = others.map((worker) => Math.max(0, worker.shards - fairShare(worker, workers)))
  const held = workers.reduce((sum, { shards }) => sum + shards, 0)
  return surplus.reduce((sum, shards) => sum + shards, shardCount - held)
}

/** Ids of the workers below their fair share, which claim the shards that other workers release. */
export function listReceivers(workers: readonly LiveWorker[]): string[] {
  const receivers = workers.filter((worker) => worker.shards < fairShare(worker, workers))
  return receivers.map(({ id }) => id)
}
