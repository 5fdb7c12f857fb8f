import {
  type AccountTarget as StoredTarget,
  type Db,
  maxMessageBytes,
  type PublishableEvent,
  type Tx,
} from '@posthorn/db'
import { sql } from 'kysely'

/** Event that was not fanned out yet: its webhook deliveries do not exist. */
export interface PendingEvent {
  eventRow: string
  eventId: string
  event: string
  account: string
  /**
   * Date of the event as text of the column: a JavaScript date would lose the microseconds that
   * identify the event's row.
   */
  eventDate: string
  path: string | null
  specialUse: string | null
  /** Body of the event. Null if the body exceeds `maxInlineBody`. */
  body: string | null
  /** Webhook target of a deleted account, recorded with the event `accountDeleted`. */
  accountTarget: StoredTarget | null
  /** Version of all webhook routes at the time when the event was read. */
  routesVersion: string
}

/**
 * Maximum size of an event body that stays in memory with a webhook delivery. Larger bodies are
 * read on use.
 */
export const maxInlineBody = 65_536

/**
 * First key of the advisory lock of a partition (group of accounts): at most one fan-out (creation
 * of webhook deliveries) of a partition runs at a time. The second key is the partition.
 */
const fanOutLock = 7_825_515

/**
 * Waits until no other process creates webhook deliveries for the events of the partition (group of
 * accounts). The lock on the partition is held until the end of the transaction.
 */
export async function lockPartition(tx: Tx, partition: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${fanOutLock}::integer, ${partition}::integer)`.execute(tx)
}

/**
 * Oldest pending events of a partition (group of accounts). `whole`: name of events whose body is
 * read at any size.
 */
export async function listPendingEvents(
  db: Db,
  { partition, limit, whole }: { partition: number; limit: number; whole: string | null },
): Promise<PendingEvent[]> {
  const { rows } = await sql<PendingEvent>`
    select id as "eventRow", event_id as "eventId", event, account, date::text as "eventDate", path,
      special_use as "specialUse", account_target as "accountTarget",
      (select stamp from webhook_routes_stamp) as "routesVersion",
      case when octet_length(body) <= ${maxInlineBody} or event = ${whole} then body end as body
    from events where (shard % 16) = ${partition}::integer and fanned_out_at is null
    order by id limit ${limit}
  `.execute(db)
  return rows
}

/**
 * Marks events as fanned out: their webhook deliveries exist. Rows are locked in id order, as in
 * `markPublished`, which writers call for the same events at the same time.
 */
export async function markFannedOut(
  tx: Tx,
  events: readonly Pick<PendingEvent, 'eventRow' | 'eventDate'>[],
): Promise<void> {
  if (events.length === 0) return
  const dates = events.map(({ eventDate }) => eventDate)
  // Limits the query of events to the table partitions of the events' dates.
  await sql`
    with locked as materialized (
      select id, date from events
      where id = any(${events.map(({ eventRow }) => eventRow)}::bigint[])
        and date >= (select min(d) from unnest(${dates}::timestamptz[]) d)
        and date <= (select max(d) from unnest(${dates}::timestamptz[]) d)
      order by id for no key update
    )
    update events set fanned_out_at = now() from locked
    where events.id = locked.id and events.date = locked.date
  `.execute(tx)
}

/**
 * Partitions (groups of accounts) with events that have been waiting for at least `lateMs` until
 * their webhook deliveries are created (fan-out).
 */
export async function listLatePartitions(db: Db, lateMs: number): Promise<number[]> {
  const { rows } = await sql<{ partition: number }>`
    select p as partition from generate_series(0, 15) p
    where exists (
      select 1 from events where (shard % 16) = p and fanned_out_at is null
        and date < now() - make_interval(secs => ${lateMs / 1000})
    )
  `.execute(db)
  return rows.map(({ partition }) => partition)
}

/**
 * Locks events that their writers did not publish within `lateMs`, because the writer died or had
 * no broker. Does not read the bodies of events that are published as claim checks (without body).
 */
export async function lockUnpublishedEvents(
  tx: Tx,
  { lateMs, limit }: { lateMs: number; limit: number },
): Promise<PublishableEvent[]> {
  const { rows } = await sql<Omit<PublishableEvent, 'date'> & { date: Date }>`
    select id, event_id as "eventId", event, account, shard, date,
      case when octet_length(body) <= ${maxMessageBytes} then body end as body from events
    where published_at is null and date < now() - make_interval(secs => ${lateMs / 1000})
    order by date, id limit ${limit} for update skip locked
  `.execute(tx)
  return rows.map((row) => ({ ...row, date: row.date.toISOString() }))
}
