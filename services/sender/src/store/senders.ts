import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Time without a heartbeat after which a sender is silent: three heartbeat intervals. */
export const silenceMs = 15_000
/** Time after which sender processes without a heartbeat are deleted from the table `senders`. */
const keepMs = 600_000

/** SQL condition for senders that have a recent heartbeat. */
export const isBeating = sql<boolean>`(heartbeat_at > now()
  - make_interval(secs => ${sql.lit(silenceMs / 1_000)}))`

/**
 * Stores the heartbeat of a sender, deletes ended senders, and returns the number of live senders.
 */
export async function saveHeartbeat(db: Db, sender: string): Promise<number> {
  await sql`insert into senders (id, lends) values (${sender}::uuid, true)
    on conflict (id) do update set heartbeat_at = now()`.execute(db)
  await sql`delete from senders
    where heartbeat_at < now() - make_interval(secs => ${keepMs / 1_000})`.execute(db)
  const { count } = await db
    .selectFrom('senders')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where(isBeating)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** True if a sender has a recent heartbeat. */
export async function isSenderBeating(db: Db, sender: string): Promise<boolean> {
  const row = await db
    .selectFrom('senders')
    .select('id')
    .where('id', '=', sender)
    .where(isBeating)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes the row of a stopping sender process from the table `senders`. */
export async function deleteSender(db: Db, sender: string): Promise<void> {
  await db.deleteFrom('senders').where('id', '=', sender).execute()
}
