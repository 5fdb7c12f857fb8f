import type { Db, RecordedEvent, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** An event whose deliveries are not rows yet. */
export interface PendingEvent {
  id: string
  eventId: string
  event: string
  account: string
  /** As Postgres writes it: a JavaScript date would cut its microseconds off, and with them the row would not be found again. */
  date: string
  path: string | null
  specialUse: string | null
  /** Null where it is too large to be kept in memory for long. */
  body: string | null
  accountTarget: { url: string; headers: { key: string; value: string }[] } | null
  /** Of the moment at which it was read. */
  routesVersion: string
}

/** Bodies up to this size travel with their delivery; larger ones are read when they are sent. */
export const maxInlineBody = 65_536

/** `pg_advisory_xact_lock(this, partition)`: one fan-out of a partition at a time, whoever runs it. */
const fanOutLock = 7_825_515

/** Waits for the partition's other fan-out, if there is one, and keeps others out until the transaction ends. */
export async function lockPartition(tx: Tx, partition: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${fanOutLock}::integer, ${partition}::integer)`.execute(tx)
}

/** The oldest events of a partition that were not fanned out. `whole`: names an event whose body is needed at any size. */
export async function listPendingEvents(
  db: Db,
  { partition, limit, whole }: { partition: number; limit: number; whole: string | null },
): Promise<PendingEvent[]> {
  const { rows } = await sql<PendingEvent>`
    select id, event_id as "eventId", event, account, date::text as date, path, special_use as "specialUse",
      account_target as "accountTarget", (select stamp from webhook_routes_stamp) as "routesVersion",
      case when octet_length(body) <= ${maxInlineBody} or event = ${whole} then body end as body
    from events where (shard % 16) = ${partition}::integer and fanned_out_at is null
    order by id limit ${limit}
  `.execute(db)
  return rows
}

export async function markFannedOut(tx: Tx, events: readonly PendingEvent[]): Promise<void> {
  if (events.length === 0) return
  const dates = events.map(({ date }) => date)
  // The dates are there to find the partitions.
  await sql`
    update events set fanned_out_at = now()
    where id = any(${events.map(({ id }) => id)}::bigint[])
      and date >= (select min(d) from unnest(${dates}::timestamptz[]) d) and date <= (select max(d) from unnest(${dates}::timestamptz[]) d)
  `.execute(tx)
}

/** Partitions with events that should have been fanned out by now. */
export async function listLatePartitions(db: Db, lateMs: number): Promise<number[]> {
  const { rows } = await sql<{ partition: number }>`
    select p as partition from generate_series(0, 15) p
    where exists (
      select 1 from events where (shard % 16) = p and fanned_out_at is null and date < now() - make_interval(secs => ${lateMs / 1000})
    )
  `.execute(db)
  return rows.map(({ partition }) => partition)
}

/** Events that their writer did not publish: it died, or the broker was down. Locked until the transaction ends. */
export async function lockUnpublishedEvents(
  tx: Tx,
  { lateMs, limit }: { lateMs: number; limit: number },
): Promise<RecordedEvent[]> {
  const { rows } = await sql<Omit<RecordedEvent, 'date'> & { date: Date }>`
    select id, event_id as "eventId", event, account, shard, date, body from events
    where published_at is null and date < now() - make_interval(secs => ${lateMs / 1000})
    order by date, id limit ${limit} for update skip locked
  `.execute(tx)
  return rows.map((row) => ({ ...row, date: row.date.toISOString() }))
}

/** Undefined when the event is gone. */
export async function findBody(
  db: Db,
  event: { id: string; date: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ body: string }>`
    select body from events where id = ${event.id}::bigint and date = ${event.date}::timestamptz
  `.execute(db)
  return rows[0]?.body
}

/** What a delivery sends: a body of its own, or the event's. Undefined when the event is gone. */
export async function findDeliveryBody(
  db: Db,
  delivery: { id: string; eventRow: string; eventDate: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ body: string | null }>`
    select body from deliveries where id = ${delivery.id}::uuid
  `.execute(db)
  return rows[0]?.body ?? findBody(db, { id: delivery.eventRow, date: delivery.eventDate })
}

/** Partitions for the days to come, and an end to those of days past. */
export async function rotatePartitions(db: Db, keepDays: number): Promise<number> {
  await sql`select ensure_event_partitions()`.execute(db)
  const { rows } = await sql<{
    dropped: number
  }>`select drop_event_partitions(${keepDays}::integer) as dropped`.execute(db)
  return rows[0]?.dropped ?? 0
}
