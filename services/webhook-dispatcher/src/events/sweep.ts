import type { Bus } from '@posthorn/bus'
import { type Db, publishEvents } from '@posthorn/db'
import { listLatePartitions, lockUnpublishedEvents } from '../store/events.ts'
import type { RequestRun } from './coalesce.ts'

/** An event this old should have been fanned out: its hint was lost, or never sent. */
const lateForFanOutMs = 1_500
/** An event this old should have been published by its writer. */
const lateForPublishMs = 2_000
/** Events published in one transaction. */
const batchSize = 100

/** Fans out what no hint told of: with the broker gone, or its data, events still reach their targets. */
export function sweepFanOut(db: Db, requestRun: RequestRun) {
  return async (): Promise<void> => {
    const late = await listLatePartitions(db, lateForFanOutMs)
    await Promise.all(late.map(requestRun))
  }
}

/** Publishes what writers recorded and did not publish. Replicas share the work: each locks what it publishes. */
export function sweepPublish(db: Db, bus: Bus) {
  return async (signal: AbortSignal): Promise<void> => {
    let found = batchSize
    while (found === batchSize && bus.up && !signal.aborted) {
      found = await db.transaction().execute(async (tx) => {
        const events = await lockUnpublishedEvents(tx, {
          lateMs: lateForPublishMs,
          limit: batchSize,
        })
        await publishEvents(tx, (message) => bus.publishEvent(message), events)
        return events.length
      })
    }
  }
}
