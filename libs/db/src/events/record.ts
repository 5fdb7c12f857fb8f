import { setImmediate } from 'node:timers/promises'
import { defined } from '@posthorn/contracts/defined'
import type { Envelope, EventMessage } from '@posthorn/contracts/events/envelope'
import { shardOf } from '@posthorn/contracts/shards'
import { sql } from 'kysely'
import type { Tx } from '../connect.ts'
import type { AccountTarget } from '../tables/events.ts'
import { textArray } from '../text-array.ts'
import { limitEventData } from './limit-data.ts'

export interface NewEvent {
  eventId: string
  event: string
  account: string
  data: unknown
  path?: string
  specialUse?: string
  /** Webhook target of the account itself. Only present for the event `accountDeleted`. */
  accountTarget?: AccountTarget
}

/** Event that is stored in Postgres and ready to be published. */
export interface RecordedEvent extends EventMessage {
  id: string
  body: string
}

/**
 * Stores events in the transaction that makes the reported change. Skips events whose id is already
 * recorded. Returns the stored events in order. After the commit, call `publishEvents` to publish
 * them. Data above the size limit of events is shortened (`limitEventData`).
 */
export async function recordEvents(
  tx: Tx,
  events: readonly NewEvent[],
  serviceUrl: string | null,
): Promise<RecordedEvent[]> {
  if (events.length === 0) return []
  const date = new Date()
  const rows = await composeBodies(events, { serviceUrl, date })
  const column = <T>(pick: (row: (typeof rows)[number]) => T) => sql.val(rows.map(pick))
  const { rows: inserted } = await sql<{ id: string; eventId: string }>`
    with input as (
      select * from unnest(
        ${column((row) => row.eventId)}::uuid[], ${column((row) => row.event)}::text[], ${column((row) => row.account)}::text[],
        ${column((row) => shardOf(row.account))}::smallint[], ${column((row) => row.path ?? null)}::text[],
        ${column((row) => row.specialUse ?? null)}::text[], ${sql.val(textArray(rows.map(({ body }) => body)))}::text[],
        ${column((row) => (row.accountTarget ? JSON.stringify(row.accountTarget) : null))}::text[]
      ) with ordinality as t (event_id, event, account, shard, path, special_use, body, account_target, n)
    ), fresh as (
      insert into event_ids (event_id, day)
      select distinct event_id, ${date}::timestamptz::date from input on conflict do nothing returning event_id
    )
    insert into events (event_id, event, account, shard, date, path, special_use, body, account_target)
    select event_id, event, account, shard, ${date}::timestamptz, path, special_use, body, account_target::jsonb
    from (select distinct on (event_id) * from input join fresh using (event_id) order by event_id, n) g order by n
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

/**
 * Number of UTF-16 units of webhook bodies after which composing pauses, so that other work of the
 * process can run.
 */
const composedPerTurn = 262_144

async function composeBodies(
  events: readonly NewEvent[],
  context: { serviceUrl: string | null; date: Date },
): Promise<(NewEvent & { body: string })[]> {
  const rows: (NewEvent & { body: string })[] = []
  let composed = 0
  for (const event of events) {
    if (composed > composedPerTurn) {
      await setImmediate()
      composed = 0
    }
    const body = composeBody(event, context)
    composed += body.length
    rows.push({ ...event, body })
  }
  return rows
}

/**
 * Composes the webhook body of an event. This body is sent in all attempts and to all targets
 * without a map function.
 */
function composeBody(
  event: NewEvent,
  { serviceUrl, date }: { serviceUrl: string | null; date: Date },
): string {
  const envelope: Envelope = {
    serviceUrl,
    account: event.account,
    date: date.toISOString(),
    ...defined({ path: event.path, specialUse: event.specialUse }),
    event: event.event,
    data: limitEventData(event.data),
  }
  return withoutNul(JSON.stringify(envelope))
}

/**
 * Pattern of the escape sequence for U+0000 in JSON text. An even number of backslashes may precede
 * the sequence.
 */
const escapedNul = /(?<!\\)((?:\\\\)*)\\u0000/g

/** Removes U+0000 from JSON text, because Postgres cannot store this character in `jsonb`. */
function withoutNul(json: string): string {
  return json.includes('u0000') ? json.replace(escapedNul, '$1') : json
}
