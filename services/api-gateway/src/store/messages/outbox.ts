import type { OutboxEntry } from '@posthorn/contracts/schemas/outbox'
import {
  batchStatements,
  type Db,
  type NetworkRouting,
  type Outbox,
  type Page,
  pageCounts,
  type PageRequest,
  type Tx,
} from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, type RawBuilder, sql, type SqlBool } from 'kysely'
import { orAccountNotFound } from '../accounts/accounts.ts'
import { containsText } from '../contains-text.ts'

export type NewSubmission = Insertable<Outbox>

/**
 * Maximum size of a message that is inserted together with other messages. A larger message is
 * inserted alone, so that other messages do not wait for it.
 */
const maxSharedBytes = 64 * 1024

/**
 * Inserts a submission into the outbox. Once the returned promise resolves, the message will be
 * sent.
 */
export type InsertSubmission = (submission: NewSubmission) => Promise<void>

/**
 * Creates a function that inserts submissions. Concurrent submissions share one statement and one
 * disk flush.
 */
export function createSubmissionInserter(db: Db): InsertSubmission {
  const insert = async (rows: NewSubmission[]) => {
    await insertRows(db, rows)
    return rows.map(() => undefined)
  }
  const insertBatched = batchStatements<NewSubmission, undefined>(insert, { max: 20 })
  return async (submission) => {
    const isLarge = (submission.mime?.length ?? 0) > maxSharedBytes
    await orAccountNotFound(isLarge ? insert([submission]) : insertBatched(submission))
  }
}

/** Inserts submissions in one statement. Postgres allows 65,535 parameters per statement. */
export async function insertRows(db: Db | Tx, rows: NewSubmission[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('outbox').values(rows).execute()
}

/** Submission that ends because its account is deleted. */
export interface EndedSubmission {
  queueId: string
  messageId: string
  firstError: string | null
  networkRouting: NetworkRouting | null
  /**
   * True if a mail server may have accepted the message: the sender was waiting for the server's
   * reply, or has crashed meanwhile.
   */
  maybeSent: boolean
}

/** Maximum submissions of a deleted account that one statement deletes. */
const endedRows = 500

/**
 * Deletes the waiting submissions of an account that the transaction has locked. The lock prevents
 * other transactions from adding submissions. A sender with a deleted submission in flight does not
 * send the end of data and cannot record an outcome.
 */
export async function endSubmissions(tx: Tx, account: string): Promise<EndedSubmission[]> {
  const ended: EndedSubmission[] = []
  const isWaiting = sql<boolean>`state in ('queued', 'held')`
  for (;;) {
    const waiting = await tx
      .selectFrom('outbox')
      .select('queueId')
      .where('account', '=', account)
      .where(isWaiting)
      .limit(endedRows)
      .execute()
    if (waiting.length === 0) return ended
    const queueIds = waiting.map(({ queueId }) => queueId)
    const deleted = await tx
      .deleteFrom('outbox')
      .where('queueId', 'in', queueIds)
      // Checks the state of a submission again after the row was locked, because a sender may have
      // recorded an outcome meanwhile.
      .where(isWaiting)
      .returning(['queueId', 'messageId', 'firstError', 'networkRouting'])
      .returning(sql<boolean>`data_sent_at is not null`.as('maybeSent'))
      .execute()
    ended.push(...deleted)
  }
}

export function submissionNotFound(): AppError {
  return new AppError('not-found', 'Message not found in the outbox', { code: 'NotFound' })
}

/** Runs the function `work`, which inserts submissions, in one transaction. */
export function inOutboxTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return orAccountNotFound(db.transaction().execute(work))
}

const leased = sql<boolean>`coalesce(lease_until > now(), false)`.as('leased')

/**
 * Query of submissions without the bytes of their messages. `leased` is true while a sender has
 * reserved the submission for sending.
 */
function submissions(db: Db) {
  return db
    .selectFrom('outbox')
    .select(['queueId', 'account', 'source', 'state', 'messageId', 'envelope', 'subject'])
    .select(['gateway', 'proxy', 'localAddress', 'idempotencyKey', 'useStructuredFormat'])
    .select(['createdAt', 'sendAt', 'nextAttemptAt', 'attempts', 'maxAttempts', 'dataSentAt'])
    .select(['lastError', 'response', 'originalMessageId', 'networkRouting', 'bouncedAt', leased])
}
export type OutboxRow = Awaited<ReturnType<ReturnType<typeof submissions>['execute']>>[number]

export interface OutboxFilter extends PageRequest {
  account?: string
  /** State of the submissions to list. Defaults to queued submissions and submissions on hold. */
  state?: OutboxEntry['state']
  /** Text to search for in subject and recipients, ignoring case, or a whole Message-ID. */
  query?: string
}

/** SQL conditions for finished submissions, by the state that the API shows. */
const finished: Partial<Record<OutboxEntry['state'], RawBuilder<SqlBool>>> = {
  sent: sql`state = 'sent' and bounced_at is null`,
  bounced: sql`state = 'sent' and bounced_at is not null`,
  failed: sql`state = 'failed'`,
}

/** Maximum submissions that are counted for the total of a list, which limits the cost. */
const maxCounted = 100_000
/**
 * One page of submissions in the order of submission; finished submissions latest first. An index
 * alone yields the ids of a page, so a page far behind costs little more than the first page.
 */
export async function listOutboxRows(db: Db, filter: OutboxFilter): Promise<Page<OutboxRow>> {
  const { page = 0, pageSize = 20 } = filter
  const isFinished = filter.state !== undefined && filter.state in finished
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total
    from (select from outbox where ${matching(filter)} limit ${maxCounted}) as o
  `.execute(db)
  const order = isFinished ? sql`finished_at desc, queue_id` : sql`created_at, queue_id`
  const ids = sql<string>`(
    select queue_id from outbox where ${matching(filter)}
    order by ${order} limit ${pageSize} offset ${page * pageSize}
  )`
  const rows = await submissions(db).where('queueId', 'in', ids).orderBy(order).execute()
  return { ...pageCounts(counted[0]?.total ?? 0, filter), rows }
}

/**
 * SQL expression of the texts in which submissions are searched: subject and envelope recipients.
 * The Postgres index `outbox_by_text` has the same expression.
 */
const searched = sql<string>`lower(coalesce(subject, '') || chr(10)
  || coalesce(envelope ->> 'to', ''))`

/**
 * SQL condition for submissions whose subject or recipients contain a text, and for the submission
 * whose Message-ID the text is, with or without angle brackets. Mail servers can replace a
 * Message-ID: the submitted and the new Message-ID both match.
 */
export function matchesSubmissionText(query: string): RawBuilder<SqlBool> {
  const messageIds = [query, `<${query}>`]
  return sql`(${containsText(searched, query)} or message_id = any(${messageIds}::text[])
    or original_message_id = any(${messageIds}::text[]))`
}

function matching({ account, state, query }: Omit<OutboxFilter, keyof PageRequest>) {
  const conditions = [
    // States of submissions are written as literals, not parameters, so that the planner can use
    // the partial indexes.
    state === undefined
      ? sql<SqlBool>`state in ('queued', 'held')`
      : (finished[state] ?? sql<SqlBool>`state = ${sql.lit(state)}`),
    ...(account === undefined ? [] : [sql<SqlBool>`account = ${account}`]),
    ...(query === undefined ? [] : [matchesSubmissionText(query)]),
  ]
  return sql.join(conditions, sql` and `)
}

/** Gets a submission. @throws AppError `not-found` */
export function getOutboxRow(db: Db, queueId: string): Promise<OutboxRow> {
  return submissions(db).where('queueId', '=', queueId).executeTakeFirstOrThrow(submissionNotFound)
}
