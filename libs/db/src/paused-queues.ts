import type { Db } from './connect.ts'

/** True if an operator has paused a queue of submissions or webhook deliveries. */
export async function isQueuePaused(db: Db, queue: string): Promise<boolean> {
  const row = await db
    .selectFrom('pausedQueues')
    .select('queue')
    .where('queue', '=', queue)
    .executeTakeFirst()
  return row !== undefined
}
