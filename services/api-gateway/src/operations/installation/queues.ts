import { operations } from '@posthorn/contracts/operations'
import type { PausableQueue, QueueJobs } from '@posthorn/contracts/schemas/queue'
import { type Db, isQueuePaused } from '@posthorn/db'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { setQueuePaused } from '../../store/installation/paused-queues.ts'
import {
  countDeliveries,
  countHeldSubmissions,
  countSubmissions,
} from '../../store/installation/stats.ts'
import type { OperationDeps } from '../operation-deps.ts'

type QueueDeps = Pick<OperationDeps, 'db' | 'bus' | 'tasks'>

/**
 * Operations on the queues that can be paused: submissions and webhook deliveries. The services
 * that run these queues detect a pause by broadcast, or within 1 s by polling.
 */
export function queueHandlers({ db, bus, tasks }: QueueDeps): OperationHandler[] {
  return [
    handle(operations.getQueue, async ({ params: { queue } }) => {
      const paused = await isQueuePaused(db, queue)
      return { queue, jobs: await countJobs(db, queue, paused), paused }
    }),
    handle(operations.updateQueue, async ({ params: { queue }, body: { paused } }) => {
      if (paused === undefined) return { queue, paused: await isQueuePaused(db, queue) }
      await setQueuePaused(db, queue, paused)
      tasks.run(bus.invalidate({ topic: 'settings' }))
      return { queue, paused }
    }),
  ]
}

async function countJobs(db: Db, queue: PausableQueue, paused: boolean): Promise<QueueJobs> {
  const isSubmit = queue === 'submit'
  const { active, delayed, waiting } = await (isSubmit ? countSubmissions(db) : countDeliveries(db))
  const held = isSubmit ? await countHeldSubmissions(db) : 0
  return {
    active,
    delayed,
    paused: held + (paused ? waiting : 0),
    waiting: paused ? 0 : waiting,
  }
}
