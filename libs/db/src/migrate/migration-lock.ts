import { sleep } from '@posthorn/flow'
import { type Kysely, sql } from 'kysely'
import { findAdvisoryHolders, type LockHolder } from './lock-holders.ts'

/**
 * Key of the advisory lock. Releases before 1.0 take the lock with the same key, once per
 * transaction.
 */
const lockKey = '3853314791062309107'
const pollMs = 500

export interface MigrationLockOptions {
  /** Pool with a second connection besides the connection of the session. */
  db: Kysely<unknown>
  /** Called once if another process holds the lock. */
  onQueued: (holders: readonly LockHolder[]) => void
}

/**
 * Waits for the lock of migrations and takes it for the session, so that it outlives transactions
 * and ends with the process. The lock is polled: a statement that waited for it would be an open
 * transaction, for which the concurrent build of an index waits.
 */
export async function lockMigrations(
  session: Kysely<unknown>,
  { db, onQueued }: MigrationLockOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(${sql.raw(lockKey)}) as locked`.execute(session)
    if (rows[0]?.locked === true) return
    if (attempt === 1) onQueued(await findAdvisoryHolders(db, lockKey))
    await sleep(pollMs)
  }
}

/** Releases the lock of the session. */
export async function unlockMigrations(session: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_unlock(${sql.raw(lockKey)})`.execute(session)
}
