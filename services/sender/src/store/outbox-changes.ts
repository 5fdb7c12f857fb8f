import type { Db } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'
import { stateLiteral } from './outbox.ts'

/**
 * Rows that may be changed. Not a row whose sender died after the handover: whether it was sent
 * must be determined first.
 */
const isChangeable = sql<boolean>`(state in ('queued', 'held')
  and (lease_until is null or (lease_until < now() and data_sent_at is null)))`

const changes = {
  delete: (queueId) => sql`delete from outbox where queue_id = ${queueId} and ${isChangeable}`,
  hold: (queueId) => sql`update outbox set state = ${stateLiteral('queued', 'hold')}
    where queue_id = ${queueId} and ${isChangeable}`,
  /** Due at its original time, or now. */
  release: (queueId) => sql`update outbox set state = ${stateLiteral('held', 'release')},
    next_attempt_at = greatest(send_at, now()) where queue_id = ${queueId} and state = 'held'`,
  /** Due now, also if it is held. */
  send: (queueId) => sql`update outbox set state = ${stateLiteral('queued', 'makeDue')},
    next_attempt_at = now(), send_at = least(send_at, now())
    where queue_id = ${queueId} and ${isChangeable}`,
} satisfies Record<string, (queueId: string) => RawBuilder<unknown>>

/**
 * Changes a waiting submission: deletes it, holds it, ends the hold, or makes it due. Returns
 * `busy` if an attempt prevents a deletion or a hold, and `missing` if it has ended.
 */
export async function changeSubmission(
  db: Db,
  queueId: string,
  action: keyof typeof changes,
): Promise<'done' | 'missing' | 'busy'> {
  // A concurrent claim delays the statement: Postgres evaluates its condition after the lock.
  const { numAffectedRows } = await changes[action](queueId).execute(db)
  if (numAffectedRows === 1n) return 'done'
  const row = await db
    .selectFrom('outbox')
    .select('queueId')
    .where('queueId', '=', queueId)
    .where('state', 'in', ['queued', 'held'])
    .executeTakeFirst()
  if (!row) return 'missing'
  // Nothing to do for one without a hold, or in an attempt.
  return action === 'release' || action === 'send' ? 'done' : 'busy'
}
