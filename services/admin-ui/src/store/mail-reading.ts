import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Activates the right to read mail of a session for `minutes`. Returns the end of the right.
 * Undefined if the session has ended.
 */
export async function startMailReading(
  db: Db,
  id: string,
  { reason, minutes }: { reason: string; minutes: number },
): Promise<Date | undefined> {
  const row = await db
    .updateTable('adminSessions')
    .set({ mailUntil: sql<Date>`now() + make_interval(mins => ${minutes})`, mailReason: reason })
    .where('id', '=', id)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('adminPeople')
          .select('adminPeople.id')
          .whereRef('adminPeople.id', '=', 'adminSessions.person')
          .where('mayReadMail', '=', true),
      ),
    )
    .returning('mailUntil')
    .executeTakeFirst()
  return row?.mailUntil ?? undefined
}

/** Ends the right to read mail of a session, or of all sessions of a person. */
export async function endMailReading(
  db: Db,
  of: { session: string } | { person: string },
): Promise<string[]> {
  const rows = await db
    .updateTable('adminSessions')
    .set({ mailUntil: null, mailReason: null })
    .where('session' in of ? 'id' : 'person', '=', 'session' in of ? of.session : of.person)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
