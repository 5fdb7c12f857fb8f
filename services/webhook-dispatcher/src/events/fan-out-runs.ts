import type { Bus, WorkQueue } from '@posthorn/bus'
import { EventMessageSchema } from '@posthorn/contracts/events/envelope'
import { eventPartitions } from '@posthorn/contracts/shards'
import { type Db, publishEvents } from '@posthorn/db'
import { KeyedMutex, Semaphore, SingleFlight } from '@posthorn/flow'
import { listLatePartitions, lockUnpublishedEvents } from '../store/events.ts'

/** Requests a run that starts after the request. Resolves or rejects with that run. */
export type RequestRun = (partition: number) => Promise<void>

/**
 * Runs of one partition never overlap. Requests during a run share the next run. At most
 * `concurrency` partitions run concurrently.
 */
export function createFanOutRuns(
  run: (partition: number) => Promise<void>,
  concurrency: number,
): RequestRun {
  const requested = new SingleFlight<number, void>()
  const locks = new KeyedMutex<number>()
  const permits = new Semaphore(concurrency)
  return (partition) =>
    requested.run(partition, async () => {
      using _lock = await locks.acquire(partition)
      using _permit = await permits.acquire()
      // The run starts: later requests need the next run.
      requested.forget(partition)
      await run(partition)
    })
}

/** Unacknowledged hints of one partition. One run acknowledges all hints of the partition. */
const prefetch = 200

/** Consumes event messages as hints that a partition has pending events. The rows decide. */
export async function consumeHints(bus: Bus, requestRun: RequestRun): Promise<AsyncDisposable> {
  const consumers = await Promise.all(
    Array.from({ length: eventPartitions }, (_, partition) => {
      const queue: WorkQueue = `webhook.events.${partition}`
      const handle = () => requestRun(partition)
      return bus.consume({ queue, schema: EventMessageSchema, prefetch, handle })
    }),
  )
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(consumers.map((consumer) => consumer[Symbol.asyncDispose]()))
    },
  }
}

/** Age of an event whose hint was lost or never sent. */
const lateFanOutMs = 1_500
/** Age after which an event counts as not published by its writer. */
const latePublishMs = 2_000
/** Events published in one transaction. */
const publishBatch = 100

/** Fans out events whose hints were lost. Works without the broker. */
export function sweepFanOut(db: Db, requestRun: RequestRun) {
  return async (): Promise<void> => {
    const late = await listLatePartitions(db, lateFanOutMs)
    await Promise.all(late.map(requestRun))
  }
}

/**
 * Publishes events that their writers did not publish. Replicas skip rows that other replicas have
 * locked.
 */
export function sweepPublish(db: Db, bus: Bus) {
  return async (signal: AbortSignal): Promise<void> => {
    let published = publishBatch
    while (published === publishBatch && bus.up && !signal.aborted) {
      published = await db.transaction().execute(async (tx) => {
        const options = { lateMs: latePublishMs, limit: publishBatch }
        const events = await lockUnpublishedEvents(tx, options)
        await publishEvents(tx, (message) => bus.publishEvent(message), events)
        return events.length
      })
    }
  }
}
