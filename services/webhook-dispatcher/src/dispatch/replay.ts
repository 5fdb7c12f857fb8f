import type { Db } from '@posthorn/db'
import { beginReplay, endReplay, lockPendingReplay, replayFailed } from '../store/replays.ts'

/** Deliveries of one transaction. */
const batchSize = 500

/**
 * Carries out requested replays in batches of one transaction each. After a crash another process
 * continues; no delivery is replayed twice. `onReplayed` is called when new deliveries are due.
 */
export function runReplays(db: Db, onReplayed: () => void) {
  return async (signal: AbortSignal): Promise<void> => {
    let isPending = true
    while (isPending && !signal.aborted) {
      const replayed = await replayBatch(db)
      isPending = replayed !== undefined
      if (replayed !== undefined && replayed > 0) onReplayed()
    }
  }
}

/** Number of replayed deliveries. Undefined if no replay is pending. */
function replayBatch(db: Db): Promise<number | undefined> {
  return db.transaction().execute(async (tx) => {
    const replay = await lockPendingReplay(tx)
    if (!replay) return undefined
    if (!replay.started) await beginReplay(tx, replay)
    const replayed = await replayFailed(tx, replay, batchSize)
    if (replayed < batchSize) await endReplay(tx, replay)
    return replayed
  })
}
