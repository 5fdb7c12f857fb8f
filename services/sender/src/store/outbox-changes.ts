import type { Db } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/** What became of a wish: `busy` is a message that is being delivered, `missing` one that does not wait (any more). */
export type ChangeResult = 'done' | 'missing' | 'busy'

/** A row nobody has in hand. One whose sender died after the final dot is in hand still: what became of it is to be found out first. */
const isFree = sql<boolean>`(
  state in ('queued', 'held') and (lease_until is null or (lease_until < now() and data_sent_at is null))
)`

/** Removes a message that waits. It leaves no row. */
export function deleteWaiting(db: Db, queueId: string): Promise<ChangeResult> {
  return change(db, queueId, sql`delete from outbox where queue_id = ${queueId} and ${isFree}`)
}

/** Keeps a message from being sent until it is released. */
export function holdWaiting(db: Db, queueId: string): Promise<ChangeResult> {
  return change(
    db,
    queueId,
    sql`update outbox set state = 'held' where queue_id = ${queueId} and ${isFree}`,
  )
}

/** Ends a hold: due at its time, or now. What is not held stays as it is. */
export async function releaseHeld(db: Db, queueId: string): Promise<ChangeResult> {
  const released = await change(
    db,
    queueId,
    sql`update outbox set state = 'queued', next_attempt_at = greatest(send_at, now()) where queue_id = ${queueId} and state = 'held'`,
  )
  return released === 'busy' ? 'done' : released
}

/** Makes a message due, whatever it waits for. One that is being delivered is as good as that. */
export async function makeDue(db: Db, queueId: string): Promise<ChangeResult> {
  const made = await change(
    db,
    queueId,
    sql`update outbox set state = 'queued', next_attempt_at = now(), send_at = least(send_at, now()) where queue_id = ${queueId} and ${isFree}`,
  )
  return made === 'busy' ? 'done' : made
}

/** Whoever claims the row at the same time is waited for: Postgres looks at the condition again then. */
async function change(
  db: Db,
  queueId: string,
  statement: RawBuilder<unknown>,
): Promise<ChangeResult> {
  const { numAffectedRows } = await statement.execute(db)
  if (numAffectedRows === 1n) return 'done'
  const row = await db
    .selectFrom('outbox')
    .select('queueId')
    .where('queueId', '=', queueId)
    .where('state', 'in', ['queued', 'held'])
    .executeTakeFirst()
  return row ? 'busy' : 'missing'
}
