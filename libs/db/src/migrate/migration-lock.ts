import { sleep } from '@posthorn/flow'
import { type Kysely, sql } from 'kysely'
import { findAdvisoryHolders, type LockHolder } from './lock-holders.ts'

/**
 * Key of the Postgres advisory lock that prevents concurrent runs of migrations. Releases before
 * 1.0 use the same key, and take the lock for each transaction.
 */
const lockKey = '3853314791062309107'
const pollMs = 500

export interface MigrationLockOptions {
  /**
   * Connection pool with a free connection besides the connection of the session that migrates the
   * database.
   */
  db: Kysely<unknown>
  /**
   * Called once if another process holds the advisory lock of migrations, with the sessions that
   * hold the lock.
   */
  onQueued: (holders: readonly LockHolder[]) => void
}

/**
 * Waits for the advisory lock of migrations and takes it for the whole Postgres session. The lock
 * outlives transactions and is released when the process ends. The lock is polled: a statement that
 * waits for the lock would be an open transaction, and a concurrent build of an index has to wait
 * for open transactions.
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

/** Releases the advisory lock of migrations that a Postgres session holds. */
export async function unlockMigrations(session: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_unlock(${sql.raw(lockKey)})`.execute(session)
}
