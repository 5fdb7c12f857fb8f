import { operations, type PausableQueue, type QueueJobs } from '@posthorn/contracts'
import { type Db, isQueuePaused } from '@posthorn/db'
import { countHeldSubmissions } from '../../store/paused-queues.ts'
import { countDeliveries, countSubmissions } from '../../store/stats.ts'
import { handle } from '../../http/route.ts'

export function onGetQueue({ db }: { db: Db }) {
  return handle(operations.getQueue, async ({ params: { queue } }) => {
    const paused = await isQueuePaused(db, queue)
    return { queue, jobs: await countJobs(db, queue, paused), paused }
  })
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
