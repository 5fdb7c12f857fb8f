import { type Db, readSettings } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { WebhookConfig } from './config.ts'
import { deleteOldCounters } from './store/counts.ts'
import { deleteFinished } from './store/deliveries.ts'
import { rotatePartitions } from './store/events.ts'
import { deleteOrphanedRouteStates } from './store/route-states.ts'
import { deleteEndedReplays } from './store/replays.ts'
import { deleteAttempts } from './store/results.ts'

/** Rows deleted by one statement. */
const limit = 5_000
/** A week can be looked back on, and a day more. */
const keepCountersDays = 8
const keepAttemptsDays = 7
const keepReplaysDays = 30
const dayMs = 86_400_000

type Keeping = Pick<WebhookConfig, 'keepEventDays' | 'keepDeliveredMs' | 'keepFailedMs'>

/** Makes the partitions of the days to come, drops those of days past that nothing waits on, and deletes deliveries, attempts and counters kept long enough. */
export function runRetention(db: Db, keep: Keeping, log: Logger) {
  const { keepEventDays, keepDeliveredMs } = keep
  return async (signal: AbortSignal): Promise<void> => {
    const { webhooksKeepFailedDays, webhooksAttemptLogDays = keepAttemptsDays } =
      await readSettings(db)
    const keepFailedMs =
      webhooksKeepFailedDays === undefined ? keep.keepFailedMs : webhooksKeepFailedDays * dayMs
    const deleted = await inPieces(signal, () =>
      deleteFinished(db, { keepDeliveredMs, keepFailedMs, limit }),
    )
    await inPieces(signal, () => deleteAttempts(db, webhooksAttemptLogDays, limit))
    await deleteEndedReplays(db, keepReplaysDays)
    const dropped = await rotatePartitions(db, keepEventDays)
    await deleteOrphanedRouteStates(db)
    await deleteOldCounters(db, keepCountersDays)
    if (deleted > 0 || dropped > 0)
      log.info({ deleted, dropped }, 'deleted old deliveries and dropped old days of events')
  }
}

async function inPieces(signal: AbortSignal, piece: () => Promise<number>): Promise<number> {
  let deleted = 0
  let last = limit
  while (last === limit && !signal.aborted) {
    last = await piece()
    deleted += last
  }
  return deleted
}
