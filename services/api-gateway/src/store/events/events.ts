import { defined } from '@posthorn/contracts/defined'
import { parseDate } from '@posthorn/contracts/formats'
import type { EventHead, RecordedEvent } from '@posthorn/contracts/schemas/recorded-event'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type RawBuilder, sql } from 'kysely'

/** Filter and page of the list of events. Absent members match any event. */
export interface EventFilter {
  account?: string
  event?: string
  since?: string
  until?: string
  /** Cursor that the previous page of the list of events returned. */
  cursor?: string
  pageSize: number
}

interface HeadRow extends Omit<EventHead, 'date'> {
  date: Date
}

type EventRow = HeadRow & Pick<RecordedEvent, 'deliveryState'>

const head = sql`e.event_id as id, e.date, e.event, e.account, e.path`

/**
 * State of the deliveries of an event (`eventDeliveryStates`). A failed delivery with a replay does
 * not count, its replay does. `deliveries_by_event` contains no replays, so that replays are found
 * by the deliveries that they repeat.
 */
const deliveryState = sql`(
  select case when bool_or(state = 'failed') then 'failed' when bool_or(state = 'due') then 'due'
    when bool_or(state = 'delivered') then 'delivered' when count(*) > 0 then 'dropped'
    else 'none' end
  from (
    select d.state from deliveries d
    where d.event_id = e.event_id and d.replay_of is null and d.replayed_at is null
    union all
    select r.state from deliveries d join deliveries r on r.replay_of = d.id
    where d.event_id = e.event_id and d.replay_of is null
  ) s
) as "deliveryState"`

/** One page of the recorded events, latest first, and the cursor of the next page. */
export async function listEvents(db: Db, filter: EventFilter) {
  const { pageSize } = filter
  const { rows } = await sql<EventRow & { us: string; row: string }>`
    select ${head}, ${deliveryState},
      (extract(epoch from e.date) * 1000000)::bigint as us, e.id as row
    from (
      select * from events e where ${sql.join(conditionsOf(filter), sql` and `)}
      order by e.date desc, e.id desc limit ${pageSize + 1}
    ) e order by e.date desc, e.id desc
  `.execute(db)
  const page = rows.slice(0, pageSize)
  const last = page.at(-1)
  const nextCursor = rows.length > pageSize && last ? `${last.us}_${last.row}` : null
  return { events: page.map(({ us: _us, row: _row, ...event }) => shown(event)), nextCursor }
}

function conditionsOf(filter: EventFilter): RawBuilder<unknown>[] {
  const { account, event, since, until, cursor } = filter
  const equal = Object.entries(defined({ account, event }))
  return [
    sql`true`,
    ...equal.map(([column, value]) => sql`e.${sql.ref(column)} = ${value}`),
    ...(since === undefined ? [] : [sql`e.date >= ${parseDate(since)}::timestamptz`]),
    ...(until === undefined ? [] : [sql`e.date < ${parseDate(until)}::timestamptz`]),
    ...(cursor === undefined ? [] : [beforeCursor(cursor)]),
  ]
}

function beforeCursor(cursor: string): RawBuilder<unknown> {
  const [us, row] = cursor.split('_')
  const end = sql`timestamptz 'epoch' + ${us}::bigint * interval '1 microsecond'`
  // The condition on the date of events lets the planner skip the table partitions after the
  // cursor.
  return sql`e.date <= ${end} and (e.date, e.id) < (${end}, ${row}::bigint)`
}

/** Maximum size of a webhook body that the API shows. webhook-dispatcher sends no larger body. */
const maxShownBytes = 64 * 1024 * 1024

/**
 * Gets an event by its id, with its webhook body if `withBody` is true. A body above
 * `maxShownBytes` is null.
 *
 * @throws AppError `not-found`
 */
export async function getEvent(db: Db, id: string, withBody: boolean) {
  const body = withBody
    ? sql`case when octet_length(e.body) <= ${maxShownBytes} then e.body end`
    : sql`null`
  const { rows } = await sql<EventRow & { body: string | null }>`
    select ${head}, ${deliveryState}, ${body} as body from events e where e.event_id = ${id}::uuid
  `.execute(db)
  const [row] = rows
  if (!row) throw new AppError('not-found', 'Event not found', { code: 'NotFound' })
  const { body: text, ...event } = row
  return { event: shown(event), body: text }
}

function shown<Row extends HeadRow>(row: Row) {
  return { ...row, date: row.date.toISOString() }
}

/** Event of the stream of events, with its position: the id of its row. */
export interface StreamedEvent extends EventHead {
  position: bigint
  createdAt: Date
}

/** Events after the row id `after`, up to and including the row id `end`, in the order of ids. */
export async function listEventsBetween(
  db: Db,
  { after, end, limit }: { after: bigint; end: bigint; limit: number },
): Promise<StreamedEvent[]> {
  const { rows } = await sql<HeadRow & { row: string }>`
    select ${head}, e.id as row from events e
    where e.id > ${String(after)}::bigint and e.id <= ${String(end)}::bigint
    order by e.id limit ${limit}
  `.execute(db)
  return rows.map(({ row, ...event }) => ({
    ...shown(event),
    position: BigInt(row),
    createdAt: event.date,
  }))
}

/** Bounds of the row ids of events, and of the transactions that are open. */
export interface EventBounds {
  /** Largest id that a transaction has taken for an event, even if the transaction is open. */
  last: bigint
  /** Largest id of an event that was deleted after its retention period. */
  horizon: bigint
  /** Id of the oldest open transaction: all older transactions have ended. */
  oldestOpen: bigint
}

/** Reads the bounds of the row ids of events. */
export async function findEventBounds(db: Db): Promise<EventBounds> {
  const { rows } = await sql<{ last: string | null; horizon: string; open: string }>`
    select pg_sequence_last_value('events_id_seq'::regclass) as last,
      pg_snapshot_xmin(pg_current_snapshot())::text as open,
      (select id from events_horizon) as horizon
  `.execute(db)
  const { last, horizon = '0', open = '0' } = rows[0] ?? { last: null }
  return { last: BigInt(last ?? '0'), horizon: BigInt(horizon), oldestOpen: BigInt(open) }
}

/**
 * Takes a Postgres transaction id, which is larger than the ids of all transactions that took an id
 * before.
 */
export async function takeTransactionId(db: Db): Promise<bigint> {
  const { rows } = await sql<{ xid: string }>`
    select pg_current_xact_id()::text as xid
  `.execute(db)
  return BigInt(rows[0]?.xid ?? '0')
}
