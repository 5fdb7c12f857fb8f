import type { Db } from '@posthorn/db'
import { beginReplay, endReplay, lockPendingReplay, replayFailed } from '../store/replays.ts'

/** Deliveries of one transaction. */
const batchSize = 500

/**
 * Carries out wishes to repeat failed deliveries, one batch a transaction: a process that dies leaves the rest to the next one, and no
 * delivery is repeated twice. `made` is told when there is something new to deliver.
 */
export function replay(db: Db, made: () => void) {
  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await replayBatch(db, made))) {
      // The next batch, or the next wish.
    }
  }
}

/** Whether there was anything to do. */
async function replayBatch(db: Db, made: () => void): Promise<boolean> {
  const count = await db.transaction().execute(async (tx) => {
    const open = await lockPendingReplay(tx)
    if (!open) return undefined
    if (!open.started) await beginReplay(tx, open)
    const replayed = await replayFailed(tx, open, batchSize)
    if (replayed < batchSize) await endReplay(tx, open)
    return replayed
  })
  if (count !== undefined && count > 0) made()
  return count !== undefined
}
