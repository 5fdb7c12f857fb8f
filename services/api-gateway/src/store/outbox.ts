import { randomBytes } from 'node:crypto'
import type { Db, Outbox } from '@posthorn/db'
import type { Insertable } from 'kysely'
import { accountNotFound } from './accounts.ts'
import { foreignKeyViolation, sqlState } from './database-errors.ts'

/** Milliseconds and four random bytes as 19 hex digits: sorts by time until the year 2527. */
export function newQueueId(now: number = Date.now()): string {
  return now.toString(16).padStart(11, '0') + randomBytes(4).toString('hex')
}

/** Queues a message; it is promised to be sent from the moment this resolves. */
export async function insertSubmission(db: Db, submission: Insertable<Outbox>): Promise<void> {
  try {
    await db.insertInto('outbox').values(submission).execute()
  } catch (error) {
    // Deleted since we looked.
    throw sqlState(error) === foreignKeyViolation ? accountNotFound() : error
  }
}
