import type { Bus, WorkQueue } from '@posthorn/bus'
import { EventMessageSchema, eventPartitions } from '@posthorn/contracts'
import type { RequestRun } from './coalesce.ts'

/** Hints of one partition in hand. They are answered together, by one run. */
const prefetch = 200

/** Takes messages of the event queues as hints that a partition has something to fan out; the rows are what counts. */
export async function consumeHints(bus: Bus, requestRun: RequestRun): Promise<AsyncDisposable> {
  const consumers = await Promise.all(
    Array.from({ length: eventPartitions }, (_, partition) => {
      const queue: WorkQueue = `webhook.events.${partition}`
      return bus.consume({
        queue,
        schema: EventMessageSchema,
        prefetch,
        handle: () => requestRun(partition),
      })
    }),
  )
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(consumers.map((consumer) => consumer[Symbol.asyncDispose]()))
    },
  }
}
