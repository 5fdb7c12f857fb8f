import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { WebhookConfig } from './config.ts'
import { tidyCounters } from './store/counts.ts'
import { deleteFinished } from './store/deliveries.ts'
import { turnPartitions } from './store/events.ts'

/** Rows deleted by one statement. */
const limit = 5_000
/** A week can be looked back on, and a day more. */
const keepCountersDays = 8

type Keeping = Pick<WebhookConfig, 'keepEventDays' | 'keepDeliveredMs' | 'keepFailedMs'>

/** Makes the partitions of the days to come, drops those of days past that nothing waits on, and deletes deliveries and counters kept long enough. */
export function keepHouse(db: Db, keep: Keeping, log: Logger) {
  const { keepEventDays, keepDeliveredMs, keepFailedMs } = keep
  return async (signal: AbortSignal): Promise<void> => {
    let deleted = 0
    let last = limit
    while (last === limit && !signal.aborted) {
      last = await deleteFinished(db, { keepDeliveredMs, keepFailedMs, limit })
      deleted += last
    }
    const dropped = await turnPartitions(db, keepEventDays)
    await tidyCounters(db, keepCountersDays)
    if (deleted > 0 || dropped > 0)
      log.info({ deleted, dropped }, 'deleted old deliveries and dropped old days of events')
  }
}
