import { type Db, readSettings } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { WebhookConfig } from './config.ts'
import {
  deleteAttempts,
  deleteEndedReplays,
  deleteFinished,
  deleteOldCounters,
  deleteOrphanedRouteStates,
  rotatePartitions,
} from './store/retention.ts'

/** Maximum rows of one delete statement. */
const limit = 5_000
/** Statistics cover one week; one day more for the first, incomplete one. */
const keepCountersDays = 8
const keepAttemptsDays = 7
const keepReplaysDays = 30
const dayMs = 86_400_000

type RetentionConfig = Pick<WebhookConfig, 'keepEventDays' | 'keepDeliveredMs' | 'keepFailedMs'>

/** Creates and drops table partitions of events, and deletes expired rows. Idempotent. */
export function runRetention(db: Db, config: RetentionConfig, log: Logger) {
  const { keepEventDays, keepDeliveredMs } = config
  return async (signal: AbortSignal): Promise<void> => {
    const { webhooksKeepFailedDays, webhooksAttemptLogDays = keepAttemptsDays } =
      await readSettings(db)
    const keepFailedMs =
      webhooksKeepFailedDays === undefined ? config.keepFailedMs : webhooksKeepFailedDays * dayMs
    const deleted = await deleteInBatches(signal, () =>
      deleteFinished(db, { keepDeliveredMs, keepFailedMs, limit }),
    )
    await deleteInBatches(signal, () => deleteAttempts(db, webhooksAttemptLogDays, limit))
    await deleteEndedReplays(db, keepReplaysDays)
    const dropped = await rotatePartitions(db, keepEventDays)
    await deleteOrphanedRouteStates(db)
    await deleteOldCounters(db, keepCountersDays)
    if (deleted > 0 || dropped > 0)
      log.info({ deleted, dropped }, 'deleted expired deliveries and events')
  }
}

async function deleteInBatches(signal: AbortSignal, run: () => Promise<number>): Promise<number> {
  let deleted = 0
  let last = limit
  while (last === limit && !signal.aborted) {
    last = await run()
    deleted += last
  }
  return deleted
}
