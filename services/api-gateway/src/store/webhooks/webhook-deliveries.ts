import { randomUUID } from 'node:crypto'
import { defined } from '@posthorn/contracts/defined'
import { parseDate } from '@posthorn/contracts/formats'
import {
  type Db,
  type Deliveries,
  type PageRequest,
  readRows,
  type ReplayFilter,
  type WebhookReplays,
} from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type RawBuilder, type Selectable, sql } from 'kysely'

function deliveries(db: Db) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'eventId', 'event', 'account', 'target', 'lane', 'state', 'attempts'])
    .select(['queuedAt', 'nextAttemptAt', 'finishedAt', 'replayOf', 'replayedAt'])
    .select(['lastOutcome', 'lastStatus', 'lastError', 'lastResponse'])
}
export type DeliveryRow = Awaited<ReturnType<typeof getDelivery>>
export type ReplayRow = Selectable<WebhookReplays>

export interface DeliveryFilter extends ReplayFilter {
  state: Selectable<Deliveries>['state']
  /** Cursor that the previous page of the list of webhook deliveries returned. */
  cursor?: string
  pageSize: number
}

/**
 * One page of the webhook deliveries in one state, and the cursor of the next page. Due deliveries
 * are ordered by the time of their next attempt, finished deliveries by the time of their end,
 * latest first.
 */
export async function listDeliveries(db: Db, filter: DeliveryFilter) {
  const { state, pageSize } = filter
  const time = state === 'due' ? sql<Date>`next_attempt_at` : sql<Date>`finished_at`
  const rows = await deliveries(db)
    .select(sql<string>`(extract(epoch from ${time}) * 1000000)::bigint`.as('us'))
    .where(sql.join<boolean>(conditionsOf(filter, time), sql` and `))
    .orderBy(time, 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize + 1)
    .execute()
  const page = rows.slice(0, pageSize)
  const last = page.at(-1)
  const nextCursor = rows.length > pageSize && last ? `${last.us}_${last.id}` : null
  return { rows: page.map(({ us: _us, ...row }) => row), nextCursor }
}

function conditionsOf(filter: DeliveryFilter, time: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { state, target, address, event, account, outcome, since, until, cursor } = filter
  const equal = defined({ target, lane: address, event, account, lastOutcome: outcome })
  return [
    // States of webhook deliveries are written as literals, not parameters, so that the planner can
    // use the partial indexes.
    state === 'due' || state === 'failed'
      ? sql`state = ${sql.lit(state)}`
      : sql`state <> 'due' and state = ${sql.lit(state)}`,
    ...Object.entries(equal).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    ...(since === undefined ? [] : [sql`${time} >= ${parseDate(since)}::timestamptz`]),
    ...(until === undefined ? [] : [sql`${time} < ${parseDate(until)}::timestamptz`]),
    ...(cursor === undefined ? [] : [beforeCursor(cursor, time)]),
  ]
}

function beforeCursor(cursor: string, time: RawBuilder<unknown>): RawBuilder<unknown> {
  const [us, id] = cursor.split('_')
  const end = sql`timestamptz 'epoch' + ${us}::bigint * interval '1 microsecond'`
  return sql`(${time}, id) < (${end}, ${id}::uuid)`
}

/** Gets a webhook delivery. @throws AppError `not-found` */
export function getDelivery(db: Db, id: string) {
  return deliveries(db)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Delivery not found'))
}

/** Maximum size of a webhook body that the API shows. webhook-dispatcher sends no larger body. */
const maxShownBytes = 64 * 1024 * 1024

/**
 * Details of a webhook delivery: body of the event, logged attempts of the delivery, and ids of its
 * replays.
 */
export async function getDeliveryDetails(db: Db, id: string) {
  const { rows } = await sql<{ body: string | null }>`
    select case when octet_length(coalesce(d.body, e.body)) <= ${maxShownBytes}
      then coalesce(d.body, e.body) end as body from deliveries d
    left join events e on e.id = d.event_row and e.date = d.event_date where d.id = ${id}::uuid
  `.execute(db)
  const log = await db
    .selectFrom('webhookAttempts')
    .select(['attempt', 'endedAt', 'durationMs', 'outcome', 'status', 'error', 'response'])
    .where('delivery', '=', id)
    .orderBy('endedAt')
    .limit(200)
    .execute()
  const replays = await db
    .selectFrom('deliveries')
    .select('id')
    .where('replayOf', '=', id)
    .execute()
  return { body: rows[0]?.body ?? null, log, replays: replays.map((row) => row.id) }
}

/** Stores a replay of the webhook deliveries that match a filter, for webhook-dispatcher. */
export function insertReplay(db: Db, filter: ReplayFilter): Promise<ReplayRow> {
  return db
    .insertInto('webhookReplays')
    .values({ id: randomUUID(), filter: JSON.stringify(filter) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Gets a replay of webhook deliveries with its progress. @throws AppError `not-found` */
export function getReplay(db: Db, id: string): Promise<ReplayRow> {
  return db
    .selectFrom('webhookReplays')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Replay not found'))
}

function notFound(message: string): AppError {
  return new AppError('not-found', message, { code: 'NotFound' })
}

/** One page of the replays of webhook deliveries, newest first. */
export function listReplays(db: Db, page: PageRequest): Promise<ReplayRow[]> {
  const replays = db
    .selectFrom('webhookReplays')
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
  return readRows(replays, page)
}
