import type { Db } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'
import { stateLiteral } from './outbox.ts'

/** `busy`: an attempt is running. `missing`: the submission is finished or does not exist. */
export type ChangeResult = 'done' | 'missing' | 'busy'

/**
 * Rows that may be changed. Not a row whose sender died after the handover: whether it was sent
 * must be determined first.
 */
const isChangeable = sql<boolean>`(state in ('queued', 'held')
  and (lease_until is null or (lease_until < now() and data_sent_at is null)))`

/** Deletes a waiting submission. */
export function deleteWaiting(db: Db, queueId: string): Promise<ChangeResult> {
  return change(
    db,
    queueId,
    sql`delete from outbox where queue_id = ${queueId} and ${isChangeable}`,
  )
}

/** Holds a waiting submission until it is released. */
export function holdWaiting(db: Db, queueId: string): Promise<ChangeResult> {
  return change(
    db,
    queueId,
    sql`update outbox set state = ${stateLiteral('queued', 'hold')}
      where queue_id = ${queueId} and ${isChangeable}`,
  )
}

/** Ends a hold. The submission is due at its original time, or now. Others stay unchanged. */
export async function releaseHeld(db: Db, queueId: string): Promise<ChangeResult> {
  const result = await change(
    db,
    queueId,
    sql`update outbox set state = ${stateLiteral('held', 'release')},
      next_attempt_at = greatest(send_at, now())
      where queue_id = ${queueId} and state = 'held'`,
  )
  return result === 'busy' ? 'done' : result
}

/** Makes a waiting or held submission due now. No effect on one in an attempt. */
export async function makeDue(db: Db, queueId: string): Promise<ChangeResult> {
  const result = await change(
    db,
    queueId,
    sql`update outbox set state = ${stateLiteral('queued', 'makeDue')},
      next_attempt_at = now(), send_at = least(send_at, now())
      where queue_id = ${queueId} and ${isChangeable}`,
  )
  return result === 'busy' ? 'done' : result
}

/** A concurrent claim delays the statement: Postgres evaluates its condition after the lock. */
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
