import type { Db } from './connect.ts'

/** Whether the work of a queue is to stand still. */
export async function isQueuePaused(db: Db, queue: string): Promise<boolean> {
  const row = await db
    .selectFrom('pausedQueues')
    .select('queue')
    .where('queue', '=', queue)
    .executeTakeFirst()
  return row !== undefined
}
