import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

export async function setQueuePaused(db: Db, queue: string, paused: boolean): Promise<void> {
  if (paused)
    await db
      .insertInto('pausedQueues')
      .values({ queue })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  else await db.deleteFrom('pausedQueues').where('queue', '=', queue).execute()
}

/** Messages that are held back one by one, counted up to 10,000. */
export async function countHeldSubmissions(db: Db): Promise<number> {
  const { rows } = await sql<{ held: number }>`
    select count(*)::int as held from (select from outbox where state = 'held' limit 10000) as o
  `.execute(db)
  return rows[0]?.held ?? 0
}
