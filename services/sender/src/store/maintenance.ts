import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import { isDue } from './outbox.ts'

/** How many messages are due, counted up to a limit: it is for a gauge. */
export async function countDue(db: Db): Promise<number> {
  const { rows } = await sql<{ due: string }>`
    select count(*) as due from (select 1 from outbox where ${isDue} limit 10000) as due`.execute(
    db,
  )
  return Number(rows[0]?.due ?? 0)
}

/** How many messages are held back, counted up to a limit as well. */
export async function countHeld(db: Db): Promise<number> {
  const { rows } = await sql<{ held: number }>`
    select count(*)::int as held from (select 1 from outbox where state = 'held' limit 10000) as o`.execute(
    db,
  )
  return rows[0]?.held ?? 0
}

/** Removes rows of messages that were finished long enough ago. Returns how many; call again while it is as many as the limit. */
export async function deleteFinished(
  db: Db,
  { keepMs, limit }: { keepMs: number; limit: number },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('outbox')
    .where('queueId', 'in', (db) =>
      db
        .selectFrom('outbox')
        .select('queueId')
        .where(sql<boolean>`(state in ('sent', 'failed') and filing_next_at is null)`)
        .where(sql<boolean>`(finished_at < now() - make_interval(secs => ${keepMs / 1_000}))`)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
