import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import { type Db, isQueuePaused } from '@posthorn/db'
import type { Afterwards } from '../../afterwards.ts'
import { pauseQueue } from '../../store/paused-queues.ts'
import { handle } from '../handle.ts'

export interface Deps {
  db: Db
  bus: Bus
  afterwards: Afterwards
}

/** Whoever works on the queue hears of it, or finds out by itself within a second. */
export function onUpdateQueue({ db, bus, afterwards }: Deps) {
  return handle(operations.updateQueue, async ({ params: { queue }, body: { paused } }) => {
    if (paused === undefined) return { queue, paused: await isQueuePaused(db, queue) }
    await pauseQueue(db, queue, paused)
    afterwards.do(bus.invalidate({ topic: 'settings' }))
    return { queue, paused }
  })
}
