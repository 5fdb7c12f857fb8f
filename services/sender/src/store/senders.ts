import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** A sender without a heartbeat for this time has ended: three intervals. */
const expirySeconds = 15

/** Stores a heartbeat, deletes senders that ended, and returns the number of live ones. */
export async function saveHeartbeat(db: Db, sender: string): Promise<number> {
  await sql`insert into senders (id) values (${sender}::uuid)
    on conflict (id) do update set heartbeat_at = now()`.execute(db)
  await sql`delete from senders
    where heartbeat_at < now() - make_interval(secs => ${expirySeconds})`.execute(db)
  const { count } = await db
    .selectFrom('senders')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes a sender that stops. */
export async function deleteSender(db: Db, sender: string): Promise<void> {
  await db.deleteFrom('senders').where('id', '=', sender).execute()
}
