import { type Envelope, type EventMessage, shardOf } from '@posthorn/contracts'
import { sql } from 'kysely'
import type { Tx } from '../connect.ts'

export interface NewEvent {
  eventId: string
  event: string
  account: string
  data: unknown
  path?: string
  specialUse?: string
  /** For accountDeleted: where the account itself wanted its webhooks. */
  accountTarget?: { url: string; headers: { key: string; value: string }[] }
}

/** An event as stored, ready to be published. */
export interface RecordedEvent extends EventMessage {
  id: string
  body: string
}

/**
 * Stores events in the transaction that changes the state they tell of. One that is known already, by its id, adds nothing and is
 * not returned. Publish what is returned after the commit: see `publishEvents`. In the order given.
 */
export async function recordEvents(
  tx: Tx,
  events: readonly NewEvent[],
  serviceUrl: string | null,
): Promise<RecordedEvent[]> {
  if (events.length === 0) return []
  const date = new Date()
  const rows = events.map((event) => ({ ...event, body: composeBody(event, { serviceUrl, date }) }))
  const column = <T>(pick: (row: (typeof rows)[number]) => T) => sql.val(rows.map(pick))
  const { rows: inserted } = await sql<{ id: string; eventId: string }>`
    with given as (
      select * from unnest(
        ${column((row) => row.eventId)}::uuid[], ${column((row) => row.event)}::text[], ${column((row) => row.account)}::text[],
        ${column((row) => shardOf(row.account))}::smallint[], ${column((row) => row.path ?? null)}::text[],
        ${column((row) => row.specialUse ?? null)}::text[], ${column((row) => row.body)}::text[],
        ${column((row) => (row.accountTarget ? JSON.stringify(row.accountTarget) : null))}::text[]
      ) with ordinality as t (event_id, event, account, shard, path, special_use, body, account_target, n)
    ), fresh as (
      insert into event_ids (event_id, day)
      select distinct event_id, ${date}::timestamptz::date from given on conflict do nothing returning event_id
    )
    insert into events (event_id, event, account, shard, date, path, special_use, body, account_target)
    select event_id, event, account, shard, ${date}::timestamptz, path, special_use, body, account_target::jsonb
    from (select distinct on (event_id) * from given join fresh using (event_id) order by event_id, n) g order by n
    returning id, event_id as "eventId"
  `.execute(tx)
  const ids = new Map(inserted.map((row) => [row.eventId, row.id]))
  return rows.flatMap(({ eventId, event, account, body }) => {
    const id = ids.get(eventId)
    ids.delete(eventId)
    return id === undefined
      ? []
      : [{ id, eventId, event, account, shard: shardOf(account), date: date.toISOString(), body }]
  })
}

/** The webhook body. Composed once: every attempt and every target without a map function sends these bytes. */
function composeBody(
  event: NewEvent,
  { serviceUrl, date }: { serviceUrl: string | null; date: Date },
): string {
  const envelope: Envelope = {
    serviceUrl,
    account: event.account,
    date: date.toISOString(),
    ...(event.path === undefined ? {} : { path: event.path }),
    ...(event.specialUse === undefined ? {} : { specialUse: event.specialUse }),
    event: event.event,
    data: event.data,
  }
  return JSON.stringify(envelope, withoutNul)
}

/** Postgres text cannot hold U+0000, and no receiver wants it. */
function withoutNul(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '') : value
}
