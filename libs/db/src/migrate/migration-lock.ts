import { sleep } from '@posthorn/flow'
import { type Kysely, sql } from 'kysely'
import { findAdvisoryHolders, type LockHolder } from './lock-holders.ts'

/**
 * Key of the advisory lock that migrations hold. Releases before 1.0 take the lock with the same
 * key, once per transaction.
 */
const lockKey = '3853314791062309107'
const pollMs = 500

export interface MigrationLockOptions {
  /** Connection pool with a second connection besides the connection of the migrating session. */
  db: Kysely<unknown>
  /** Called once if another process holds the lock of migrations. */
  onQueued: (holders: readonly LockHolder[]) => void
}

/**
 * Waits for the lock of migrations and takes the lock for the Postgres session, so that the lock
 * outlives transactions and ends with the process. The lock is polled: a statement that waited for
 * the lock would be an open transaction, for which the concurrent build of an index waits.
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

/** Releases the lock of migrations that a Postgres session holds. */
export async function unlockMigrations(session: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_unlock(${sql.raw(lockKey)})`.execute(session)
}
