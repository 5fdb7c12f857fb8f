import type { Db } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'
import { stateLiteral } from './submission-states.ts'

/**
 * SQL condition for outbox rows that a request may change. Excludes rows whose sender died after
 * the end of data (handover), or whose draft may have been released: whether the message was sent
 * must be determined first.
 */
const isChangeable = sql<boolean>`(state in ('queued', 'held') and (data_sent_at is null
  and (lease_until is null or lease_until < now())
  or lease_until is null and provider_draft is null))`

const changes = {
  /**
   * Deletes a submission. Its draft at the mail provider is removed later, unless the owner stored
   * the draft.
   */
  delete: (queueId) => sql`
    with deleted as (
      delete from outbox where queue_id = ${queueId} and ${isChangeable}
      returning queue_id, account, message_id,
        case when provider_draft ->> 'stored' is null then provider_draft ->> 'id' end as draft_id
    ), cleanup as (
      insert into draft_cleanups (queue_id, account, message_id, draft_id, check_at)
      select deleted.*, now() from deleted where draft_id is not null
      on conflict (queue_id) do update set draft_id = excluded.draft_id, check_at = now()
    )
    select queue_id from deleted`,
  hold: (queueId) => sql`update outbox set state = ${stateLiteral('queued', 'hold')}
    where queue_id = ${queueId} and ${isChangeable} returning queue_id`,
  /**
   * Releases a held submission, which becomes due at its original time, or now if that time has
   * passed.
   */
  release: (queueId) => sql`update outbox set state = ${stateLiteral('held', 'release')},
    next_attempt_at = greatest(send_at, now()) where queue_id = ${queueId} and state = 'held'
    returning queue_id`,
  /** Makes a waiting submission due now, even if the submission is held. */
  send: (queueId) => sql`update outbox set state = ${stateLiteral('queued', 'makeDue')},
    next_attempt_at = now(), send_at = least(send_at, now())
    where queue_id = ${queueId} and ${isChangeable} returning queue_id`,
} satisfies Record<string, (queueId: string) => RawBuilder<unknown>>

/**
 * Deletes, holds, releases or makes due a waiting submission. Returns `busy` if a running attempt
 * prevents the deletion or hold, and `missing` if the submission has ended.
 */
export async function changeSubmission(
  db: Db,
  queueId: string,
  action: keyof typeof changes,
): Promise<'done' | 'missing' | 'busy'> {
  // A concurrent claim of the outbox row delays the update statement: Postgres evaluates the
  // condition of the statement after the claim has committed.
  const { rows } = await changes[action](queueId).execute(db)
  if (rows.length > 0) return 'done'
  const row = await db
    .selectFrom('outbox')
    .select('queueId')
    .where('queueId', '=', queueId)
    .where('state', 'in', ['queued', 'held'])
    .executeTakeFirst()
  if (!row) return 'missing'
  // Reports success for the changes `release` and `send` even if they change nothing: the
  // submission is not held, or is in an attempt.
  return action === 'release' || action === 'send' ? 'done' : 'busy'
}
