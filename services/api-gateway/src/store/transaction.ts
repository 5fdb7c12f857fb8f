import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { sqlState } from './database-errors.ts'

const maxTries = 4
/** Deadlock and serialization failure: a retry of the same transaction succeeds. */
const conflicts = new Set(['40P01', '40001'])

/** Runs work in a transaction and retries it after a conflict. The work must have no other effects. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (tries === maxTries || !conflicts.has(sqlState(error) ?? '')) throw error
    }
  }
}

/** Serializes the first-run setup of concurrent replicas. Held until the transaction ends. */
export async function lockFirstRun(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('posthorn:first-run'))`.execute(tx)
}
