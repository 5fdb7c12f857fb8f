import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Length of the time windows in which attempts are counted. */
const windowSeconds = 900
const windowStart = sql<Date>`to_timestamp(
  floor(extract(epoch from now()) / ${sql.lit(windowSeconds)}) * ${sql.lit(windowSeconds)})`

export interface CountedAttempts {
  subject: string
  /** Attempts of the subject in the current window, including this attempt. */
  attempts: number
  /** Time until the window ends. */
  seconds: number
}

/** Counts an attempt of each subject in the current window, over all replicas. */
export async function countAttempt(
  db: Db,
  subjects: readonly string[],
): Promise<CountedAttempts[]> {
  // Rows are written in one order, so that concurrent attempts do not deadlock.
  const rows = subjects.toSorted().map((subject) => ({ subject, windowStart, attempts: 1 }))
  return await db
    .insertInto('adminAttempts')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['subject', 'windowStart'])
        .doUpdateSet({ attempts: sql<number>`admin_attempts.attempts + 1` }),
    )
    .returning(['subject', 'attempts'])
    .returning(
      sql<number>`ceil(extract(epoch from window_start - now()) + ${sql.lit(windowSeconds)})::integer`.as(
        'seconds',
      ),
    )
    .execute()
}

/** Takes back one attempt of each subject in the current window. */
export async function takeBackAttempt(db: Db, subjects: readonly string[]): Promise<void> {
  for (const subject of subjects.toSorted())
    await db
      .updateTable('adminAttempts')
      .set({ attempts: sql<number>`greatest(attempts - 1, 0)` })
      .where('subject', '=', subject)
      .where('windowStart', '=', windowStart)
      .execute()
}

/** Deletes the counted attempts of a subject after a success. */
export async function deleteAttempts(db: Db, subject: string): Promise<void> {
  await db.deleteFrom('adminAttempts').where('subject', '=', subject).execute()
}

/** Deletes the attempts of windows that have ended. */
export async function deleteExpiredAttempts(db: Db): Promise<void> {
  await db.deleteFrom('adminAttempts').where('windowStart', '<', windowStart).execute()
}
