import type { EventMessage } from '@posthorn/contracts/events/envelope'
import { sql } from 'kysely'
import type { Db } from '../connect.ts'
import type { RecordedEvent } from './record.ts'

/**
 * Maximum size in bytes of an event body in a bus message. A larger event is sent without its body
 * (claim check), which the consumer reads from Postgres.
 */
export const maxMessageBytes = 128 * 1024

/** Id and date that identify a row of the table `events`. */
export type EventRow = Pick<RecordedEvent, 'id' | 'date'>

/** Function that marks recorded events as published to RabbitMQ. */
export type MarkPublished = (events: readonly EventRow[]) => Promise<void>

/** Publishes an event message on RabbitMQ. Resolves when the broker has confirmed the message. */
export type PublishEvent = (message: EventMessage) => Promise<void>

/**
 * Event to publish. The body is null if the body is larger than `maxMessageBytes` and was not read
 * from Postgres.
 */
export type PublishableEvent = Omit<RecordedEvent, 'body'> & { body: string | null }

/**
 * Converts an event to a bus message. The message for a large event is a claim check: it does not
 * contain the body.
 */
function toMessage(recorded: PublishableEvent): EventMessage {
  const { eventId, event, account, shard, date, body } = recorded
  const head = { eventId, event, account, shard, date }
  return body === null || Buffer.byteLength(body) > maxMessageBytes ? head : { ...head, body }
}

/**
 * Publishes recorded events after their transaction was committed, and marks them as published.
 * Never throws: webhook-dispatcher periodically publishes events without this mark. After a crash
 * between publishing and marking, an event is published twice with the same event id. A function in
 * place of `db` can mark the events of several callers together.
 */
export async function publishEvents(
  db: Db | MarkPublished,
  publish: PublishEvent,
  events: readonly PublishableEvent[],
): Promise<void> {
  if (events.length === 0) return
  const mark = typeof db === 'function' ? db : (done: typeof events) => markPublished(db, done)
  const outcomes = await Promise.allSettled(events.map((event) => publish(toMessage(event))))
  const published = events.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  // If marking events as published fails, the periodic sweep publishes the unmarked events again.
  await mark(published).catch(() => undefined)
}

/**
 * Marks events as published, in one statement. The rows are locked in the order of ids, as in all
 * statements about several events. This order prevents deadlocks with a fan-out of the same events
 * to their webhook targets.
 */
export async function markPublished(db: Db, events: readonly EventRow[]): Promise<void> {
  if (events.length === 0) return
  await sql`
    with locked as materialized (
      select e.id, e.date from events e
      join unnest(
        ${events.map(({ id }) => id)}::bigint[], ${events.map(({ date }) => date)}::timestamptz[]
      ) as done (id, date) on e.id = done.id and e.date = done.date
      order by e.id for no key update of e
    )
    update events set published_at = now() from locked
    where events.id = locked.id and events.date = locked.date
  `.execute(db)
}
