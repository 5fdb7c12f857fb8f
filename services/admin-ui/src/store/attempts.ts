import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Length in seconds of the time windows in which attempts to sign in are counted. */
const windowSeconds = 900
const windowStart = sql<Date>`to_timestamp(
  floor(extract(epoch from now()) / ${sql.lit(windowSeconds)}) * ${sql.lit(windowSeconds)})`

/** Attempts to sign in under a key (`subject`) in a time window. */
export interface AttemptWindow {
  subject: string
  windowStart: Date
}

export interface CountedAttempts extends AttemptWindow {
  /**
   * Number of attempts to sign in under the same key in the current time window, including this
   * attempt.
   */
  attempts: number
  /** Seconds until the time window in which attempts are counted ends. */
  seconds: number
}

/**
 * Counts an attempt to sign in under a key (`subject`) in the current time window, over all
 * replicas.
 */
export async function countAttempt(db: Db, subject: string): Promise<CountedAttempts> {
  const counted = await db
    .insertInto('adminAttempts')
    .values({ subject, windowStart, attempts: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['subject', 'windowStart'])
        .doUpdateSet({ attempts: sql<number>`admin_attempts.attempts + 1` }),
    )
    .returning(['attempts', 'windowStart'])
    .returning(
      sql<number>`ceil(extract(epoch from window_start - now()) + ${sql.lit(windowSeconds)})::integer`.as(
        'seconds',
      ),
    )
    .executeTakeFirstOrThrow()
  return { subject, ...counted }
}

/** Takes back a counted attempt to sign in, in the time window that counted the attempt. */
export async function takeBackAttempt(
  db: Db,
  { subject, windowStart: counted }: AttemptWindow,
): Promise<void> {
  await db
    .updateTable('adminAttempts')
    .set({ attempts: sql<number>`greatest(attempts - 1, 0)` })
    .where('subject', '=', subject)
    .where('windowStart', '=', counted)
    .execute()
}

/** Deletes the counted attempts to sign in under a key (`subject`), after a success. */
export async function deleteAttempts(db: Db, subject: string): Promise<void> {
  await db.deleteFrom('adminAttempts').where('subject', '=', subject).execute()
}

/** Deletes the counted attempts to sign in whose time windows have ended. */
export async function deleteExpiredAttempts(db: Db): Promise<void> {
  await db.deleteFrom('adminAttempts').where('windowStart', '<', windowStart).execute()
}
