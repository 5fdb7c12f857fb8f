import type { Db } from '@posthorn/db'

/** Pauses or resumes a work queue of Posthorn, such as the submissions, for all replicas. */
export async function setQueuePaused(db: Db, queue: string, paused: boolean): Promise<void> {
  if (paused)
    await db
      .insertInto('pausedQueues')
      .values({ queue })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  else await db.deleteFrom('pausedQueues').where('queue', '=', queue).execute()
}
