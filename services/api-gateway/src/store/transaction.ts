import { type Db, sqlState, type Tx } from '@posthorn/db'
import { retryUntil } from '@posthorn/flow'
import { sql } from 'kysely'

const maxAttempts = 4
/**
 * Postgres errors for deadlock and serialization failure: a retry of the same transaction succeeds.
 */
const conflicts = new Set(['40P01', '40001'])

/**
 * Runs work in a Postgres transaction. After a deadlock or serialization failure, the work runs
 * again, so the work must have no effects outside of the transaction.
 */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const isRetryable = (error: unknown) => conflicts.has(sqlState(error) ?? '')
  const retry = { delayMs: 0, maxAttempts, isRetryable }
  return retryUntil(() => db.transaction().execute(work), retry)
}

/**
 * Makes the first-run setups of concurrent replicas wait for each other, until the transaction
 * ends.
 */
export async function lockFirstRun(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('posthorn:first-run'))`.execute(tx)
}

/**
 * SQLSTATE (Postgres error code) of a foreign key violation: the row that a foreign key refers to
 * is missing.
 */
export const foreignKeyViolation = '23503'
