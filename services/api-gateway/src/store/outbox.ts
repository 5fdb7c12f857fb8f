import { type Db, batchStatements, type Outbox, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Insertable } from 'kysely'
import { accountNotFound } from './accounts.ts'
import { foreignKeyViolation, sqlState } from './database-errors.ts'

export type NewSubmission = Insertable<Outbox>

/** A larger message is stored alone: nobody else waits for it. */
const maxSharedBytes = 64 * 1024

/** Queues a message; it is promised to be sent from the moment this resolves. */
export type InsertSubmission = (submission: NewSubmission) => Promise<void>

/** Messages that come at the same time share a statement, and so the wait for the disk. */
export function createSubmissionInserter(db: Db): InsertSubmission {
  const insert = async (rows: NewSubmission[]) => {
    await insertRows(db, rows)
    return rows.map(() => undefined)
  }
  const insertTogether = batchStatements<NewSubmission, undefined>(insert, { max: 20 })
  return async (submission) => {
    const isLarge = (submission.mime?.length ?? 0) > maxSharedBytes
    await unlessDeleted(isLarge ? insert([submission]) : insertTogether(submission))
  }
}

/** Queues messages in one statement; they must be few enough for one. */
export async function insertRows(db: Db | Tx, rows: NewSubmission[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('outbox').values(rows).execute()
}

/** Carries out work that queues messages for an account, all of them or none. */
export async function inOutboxTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return unlessDeleted(db.transaction().execute(work))
}

/** Of an account that was deleted since we looked, nothing is queued. */
async function unlessDeleted<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw sqlState(error) === foreignKeyViolation ? accountNotFound() : error
  }
}

/** @throws AppError `not-found` without a code */
export async function assertGateway(db: Db, gateway: string): Promise<void> {
  const row = await db
    .selectFrom('gateways')
    .select('gateway')
    .where('gateway', '=', gateway)
    .executeTakeFirst()
  if (!row) throw new AppError('not-found', `Gateway "${gateway}" was not found`)
}
