import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import { type Db, isQueuePaused } from '@posthorn/db'
import type { BackgroundTasks } from '../../background-tasks.ts'
import { setQueuePaused } from '../../store/paused-queues.ts'
import { handle } from '../../http/route.ts'

export interface Deps {
  db: Db
  bus: Bus
  tasks: BackgroundTasks
}

/** Whoever works on the queue hears of it, or finds out by itself within a second. */
export function onUpdateQueue({ db, bus, tasks }: Deps) {
  return handle(operations.updateQueue, async ({ params: { queue }, body: { paused } }) => {
    if (paused === undefined) return { queue, paused: await isQueuePaused(db, queue) }
    await setQueuePaused(db, queue, paused)
    tasks.run(bus.invalidate({ topic: 'settings' }))
    return { queue, paused }
  })
}
