import type { Bus, WorkQueue } from '@posthorn/bus'
import { EventMessageSchema } from '@posthorn/contracts/events/envelope'
import { eventPartitions } from '@posthorn/contracts/shards'
import { type Db, publishEvents } from '@posthorn/db'
import { KeyedMutex, Semaphore, SingleFlight } from '@posthorn/flow'
import { listLatePartitions, lockUnpublishedEvents } from '../store/events.ts'

/**
 * Requests a fan-out (creation of webhook deliveries) for the events of a partition (group of
 * accounts). The fan-out starts after the request. Resolves or rejects with the fan-out.
 */
export type RequestRun = (partition: number) => Promise<void>

/**
 * Runs the fan-outs of partitions (groups of accounts), which insert the webhook deliveries of
 * events. Fan-outs of one partition never overlap, and requests during a fan-out share the next
 * fan-out. At most `concurrency` partitions are fanned out concurrently.
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
      // A fan-out creates webhook deliveries for the events of a partition (group of accounts). A
      // fan-out requested from now on has to follow, because the current fan-out may have read the
      // events already.
      requested.forget(partition)
      await run(partition)
    })
}

/**
 * Maximum unacknowledged RabbitMQ messages about events (hints) per partition (group of accounts).
 * One fan-out, which creates webhook deliveries, acknowledges all messages of the partition.
 */
const prefetch = 200

/**
 * Consumes RabbitMQ messages about events as hints that a partition (group of accounts) has pending
 * events. The rows in Postgres decide which events are pending.
 */
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

/** Age of a pending event after which the RabbitMQ message about the event counts as lost. */
const lateFanOutMs = 1_500
/**
 * Age after which an event counts as not published to RabbitMQ by the process that wrote the event.
 */
const latePublishMs = 2_000
/** Maximum events that are published to RabbitMQ in one transaction. */
const publishBatch = 100

/**
 * Creates the webhook deliveries of events (fan-out) whose RabbitMQ messages were lost. Works
 * without RabbitMQ.
 */
export function sweepFanOut(db: Db, requestRun: RequestRun) {
  return async (): Promise<void> => {
    const late = await listLatePartitions(db, lateFanOutMs)
    await Promise.all(late.map(requestRun))
  }
}

/**
 * Publishes events to RabbitMQ that their writers did not publish. Replicas skip events that other
 * replicas have locked.
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
