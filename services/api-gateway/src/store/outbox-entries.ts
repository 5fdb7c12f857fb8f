import type { Db } from '@posthorn/db'
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Outbox } from '@posthorn/db'

const columns = [
  'queueId',
  'account',
  'source',
  'state',
  'messageId',
  'envelope',
  'subject',
  'gateway',
  'proxy',
  'localAddress',
  'idempotencyKey',
  'useStructuredFormat',
  'createdAt',
  'sendAt',
  'nextAttemptAt',
  'attempts',
  'maxAttempts',
  'dataSentAt',
  'lastError',
  'response',
  'originalMessageId',
  'networkRouting',
] as const

/** A message to send, without its bytes. */
export type OutboxRow = Pick<Selectable<Outbox>, (typeof columns)[number]> & {
  /** A sender has it in hand. */
  leased: boolean
}

export interface OutboxFilter {
  account?: string
  /** Default: those that wait. */
  state?: OutboxRow['state']
  page: number
  pageSize: number
}

/** Rows that are counted; more are not worth the time. */
const maxCounted = 100_000
const leased = sql<boolean>`coalesce(lease_until > now(), false)`.as('leased')

/**
 * One page, in the order of submission; of those that are done with, the last ones first. Which rows those are is found in an index
 * alone, so that a page far behind costs little more than the first.
 */
export async function listOutboxRows(
  db: Db,
  { page, pageSize, ...filter }: OutboxFilter,
): Promise<{ total: number; rows: OutboxRow[] }> {
  const isFinished = filter.state === 'sent' || filter.state === 'failed'
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total from (select from outbox where ${matching(filter)} limit ${maxCounted}) as o
  `.execute(db)
  const order = isFinished ? sql`finished_at desc, queue_id` : sql`created_at, queue_id`
  const ids = sql<string>`(
    select queue_id from outbox where ${matching(filter)} order by ${order} limit ${pageSize} offset ${page * pageSize}
  )`
  const rows = await db
    .selectFrom('outbox')
    .select(columns)
    .select(leased)
    .where('queueId', 'in', ids)
    .orderBy(order)
    .execute()
  return { total: counted[0]?.total ?? 0, rows }
}

function matching({ account, state }: Pick<OutboxFilter, 'account' | 'state'>) {
  const conditions = [
    // Written out, for the planner to see that the partial indexes serve.
    state === undefined
      ? sql<SqlBool>`state in ('queued', 'held')`
      : sql<SqlBool>`state = ${sql.lit(state)}`,
    ...(account === undefined ? [] : [sql<SqlBool>`account = ${account}`]),
  ]
  return sql.join(conditions, sql` and `)
}

export async function findOutboxRow(db: Db, queueId: string): Promise<OutboxRow | undefined> {
  return db
    .selectFrom('outbox')
    .select(columns)
    .select(leased)
    .where('queueId', '=', queueId)
    .executeTakeFirst()
}
