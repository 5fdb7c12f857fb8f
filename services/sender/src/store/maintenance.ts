import {
  type Db,
  type NewEvent,
  type OutboxError,
  recordEvents,
  type RecordedEvent,
} from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'
import { isDue } from './outbox.ts'
import { failureColumns } from './outcomes.ts'
import { type OutboxLease, stateAfter, type Submission } from './submission.ts'

/** Row whose last attempt ended with its process. */
export type ExhaustedSubmission = OutboxLease &
  Pick<
    Submission,
    'account' | 'messageId' | 'envelope' | 'maxAttempts' | 'firstError' | 'maybeSent'
  >

export interface ReapOptions {
  limit: number
  serviceUrl: string | null
  failure: (submission: ExhaustedSubmission) => OutboxError
  events: (submission: ExhaustedSubmission) => NewEvent[]
}

/** Exhausted rows stay due, so they are among the oldest due rows. */
const examinedRows = 2_000
const exhausted = sql<string>`(
  select queue_id from (
    select queue_id, attempts, max_attempts from outbox where ${isDue}
    order by next_attempt_at limit ${sql.lit(examinedRows)}
  ) as oldest where attempts >= max_attempts
)`

/**
 * Marks rows failed whose attempts are used up without an outcome: the process died in each.
 * Otherwise a message that crashes processes would do so forever.
 */
export function reapExhausted(
  db: Db,
  { limit, serviceUrl, failure, events }: ReapOptions,
): Promise<RecordedEvent[]> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('outbox')
      .select(['queueId', 'account', 'messageId', 'envelope', 'worker', 'attempts'])
      .select(['maxAttempts', 'firstError', 'dataSentAt'])
      .where('queueId', 'in', exhausted)
      // Evaluated again after the row lock: another sender may have finished the row.
      .where('state', '=', 'queued')
      .whereRef('attempts', '>=', 'maxAttempts')
      .orderBy('nextAttemptAt')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
    const recorded: RecordedEvent[] = []
    for (const { attempts: attempt, dataSentAt, worker, ...row } of rows) {
      const maybeSent = dataSentAt !== null
      const submission = { ...row, worker: worker ?? '', attempt, maybeSent }
      await tx
        .updateTable('outbox')
        .set({
          state: stateAfter('queued', 'reap'),
          mime: null,
          finishedAt: sql<Date>`now()`,
          worker: null,
          leaseUntil: null,
          ...failureColumns(failure(submission)),
        })
        .where('queueId', '=', row.queueId)
        .execute()
      recorded.push(...(await recordEvents(tx, events(submission), serviceUrl)))
    }
    return recorded
  })
}

/** Number of due rows for a gauge, up to 10,000. */
export function countDue(db: Db): Promise<number> {
  return countRows(db, isDue)
}

/** Number of held rows, up to 10,000. */
export function countHeld(db: Db): Promise<number> {
  return countRows(db, sql`state = 'held'`)
}

/** Number of sent messages with mailbox work left, up to 10,000. */
export function countFilings(db: Db): Promise<number> {
  return countRows(db, sql`filing_next_at is not null`)
}

async function countRows(db: Db, condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select 1 from outbox where ${condition} limit 10000) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Deletes rows that finished more than `keepMs` ago. Returns their number; more may be left if it
 * equals the limit.
 */
export async function deleteFinished(
  db: Db,
  { keepMs, limit }: { keepMs: number; limit: number },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('outbox')
    .where('queueId', 'in', (db) =>
      db
        .selectFrom('outbox')
        .select('queueId')
        .where(sql<boolean>`(state in ('sent', 'failed') and filing_next_at is null)`)
        .where(sql<boolean>`(finished_at < now() - make_interval(secs => ${keepMs / 1_000}))`)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
