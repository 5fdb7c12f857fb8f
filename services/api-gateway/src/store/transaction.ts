import type { Db, Tx } from '@posthorn/db'
import { sqlState } from './database-errors.ts'

const maxTries = 4
/** Deadlock and serialization failure: Postgres rolled back for another's sake, and the same again will do. */
const conflicts = new Set(['40P01', '40001'])

/** Runs work in a transaction, again when it lost against another one. The work must not leave marks outside of it. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (tries === maxTries || !conflicts.has(sqlState(error) ?? '')) throw error
    }
  }
}
