import type { GetQueueResult } from '@posthorn/client'
import { getQueue, updateQueue } from '@posthorn/client/operations'
import type { Load } from '../load-state.ts'
import { calls } from '../query-client.ts'
import { useLoad } from '../use-load.ts'

/** Work queue (submissions or webhook deliveries) with the numbers of its entries. */
export type WorkQueue = GetQueueResult

/** Cache key of the work queues. */
export const workQueuesKey = ['work queues'] as const
const refreshMs = 5_000

/** Loads the work queues of submissions and webhook deliveries. */
export function useWorkQueues(): Load<readonly WorkQueue[]> {
  const load = () =>
    Promise.all([
      getQueue(calls.api, { queue: 'submit' }),
      getQueue(calls.api, { queue: 'notify' }),
    ])
  return useLoad(workQueuesKey, load, { everyMs: refreshMs })
}

/** Pauses or resumes a work queue. */
export const pauseQueue = ({ queue, paused }: Pick<WorkQueue, 'queue' | 'paused'>) =>
  updateQueue(calls.api, { queue, body: { paused } })
