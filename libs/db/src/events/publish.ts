import type { EventMessage } from '@posthorn/contracts'
import { sql } from 'kysely'
import type { Db } from '../connect.ts'
import type { RecordedEvent } from './record.ts'

/** Above this many bytes an event stays in Postgres and its message carries the id alone. */
export const maxMessageBytes = 128 * 1024

/** Notes that events were handed to the broker. */
export type MarkPublished = (events: readonly RecordedEvent[]) => Promise<void>

/** Sends one message and resolves once the broker has confirmed it. */
export type PublishEvent = (message: EventMessage) => Promise<void>

/** An event as a message: whole, or as a claim check where it is large. */
export function toMessage({
  eventId,
  event,
  account,
  shard,
  date,
  body,
}: RecordedEvent): EventMessage {
  const head = { eventId, event, account, shard, date }
  return Buffer.byteLength(body) > maxMessageBytes ? head : { ...head, body }
}

/**
 * Publishes recorded events after their commit and marks them. Never throws: what could not be published stays unmarked, and the
 * sweep of webhook-dispatcher publishes it. A crash between the two repeats a message, with the same event id. Whoever
 * marks those of several callers together gives the way to do so instead of the database.
 */
export async function publishEvents(
  db: Db | MarkPublished,
  publish: PublishEvent,
  events: readonly RecordedEvent[],
): Promise<void> {
  if (events.length === 0) return
  const mark = typeof db === 'function' ? db : (done: typeof events) => markPublished(db, done)
  const outcomes = await Promise.allSettled(events.map((event) => publish(toMessage(event))))
  const published = events.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  await mark(published).catch(() => undefined) // unmarked: published once more by the sweep
}

/** In one statement. */
export async function markPublished(db: Db, events: readonly RecordedEvent[]): Promise<void> {
  if (events.length === 0) return
  await sql`
    update events set published_at = now()
    from unnest(${events.map(({ id }) => id)}::bigint[], ${events.map(({ date }) => date)}::timestamptz[]) as done (id, date)
    where events.id = done.id and events.date = done.date
  `.execute(db)
}
