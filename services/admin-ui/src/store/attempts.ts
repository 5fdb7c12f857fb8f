import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Length of the time windows in which attempts are counted. */
const windowSeconds = 900
const windowStart = sql<Date>`to_timestamp(
  floor(extract(epoch from now()) / ${sql.lit(windowSeconds)}) * ${sql.lit(windowSeconds)})`

export interface CountedAttempts {
  /** Attempts of the subject in the current window, including this attempt. */
  attempts: number
  /** Time until the window ends. */
  seconds: number
}

/** Counts an attempt of a subject in the current window, over all replicas. */
export async function countAttempt(db: Db, subject: string): Promise<CountedAttempts> {
  return await db
    .insertInto('adminAttempts')
    .values({ subject, windowStart, attempts: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['subject', 'windowStart'])
        .doUpdateSet({ attempts: sql<number>`admin_attempts.attempts + 1` }),
    )
    .returning('attempts')
    .returning(
      sql<number>`ceil(extract(epoch from window_start - now()) + ${sql.lit(windowSeconds)})::integer`.as(
        'seconds',
      ),
    )
    .executeTakeFirstOrThrow()
}

/** Takes back one attempt of a subject in the current window. */
export async function takeBackAttempt(db: Db, subject: string): Promise<void> {
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
