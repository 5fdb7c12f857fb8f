import { type Db, inBatches, type Outbox } from '@posthorn/db'
import type { Insertable } from 'kysely'
import { accountNotFound } from './accounts.ts'
import { foreignKeyViolation, sqlState } from './database-errors.ts'

/** A larger message is stored alone: nobody else waits for it. */
const maxSharedBytes = 64 * 1024

/** Queues a message; it is promised to be sent from the moment this resolves. */
export type InsertSubmission = (submission: Insertable<Outbox>) => Promise<void>

/** Messages that come at the same time share a statement, and so the wait for the disk. */
export function insertSubmissions(db: Db): InsertSubmission {
  const insert = async (rows: Insertable<Outbox>[]) => {
    await db.insertInto('outbox').values(rows).execute()
    return rows.map(() => undefined)
  }
  const insertTogether = inBatches<Insertable<Outbox>, undefined>(insert, { max: 20 })
  return async (submission) => {
    const isLarge = (submission.mime?.length ?? 0) > maxSharedBytes
    try {
      await (isLarge ? insert([submission]) : insertTogether(submission))
    } catch (error) {
      // Deleted since we looked.
      throw sqlState(error) === foreignKeyViolation ? accountNotFound() : error
    }
  }
}
