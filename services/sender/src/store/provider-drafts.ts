import { type Db, inMs, type ProviderDraft } from '@posthorn/db'
import { sql } from 'kysely'
import { leasedRows } from './outbox.ts'
import type { Submission } from './submission.ts'

interface LeaseOptions {
  leaseMs: number
}

/**
 * Records that a draft of the submission is about to be deposited at the mail provider. After a
 * crash, the draft is found by its Message-ID. Returns false if the outbox lease expired or was
 * lost: no draft may then be deposited.
 */
export async function beginDeposit(
  db: Db,
  submission: Submission,
  { leaseMs }: LeaseOptions,
): Promise<boolean> {
  const { queueId, account, messageId } = submission
  const { rows } = await sql`
    with leased as (${leasedRows([submission])})
    insert into draft_cleanups (queue_id, account, message_id, check_at)
    select ${queueId}, ${account}, ${messageId}, ${inMs(leaseMs)}
    from leased join outbox using (queue_id) where outbox.lease_until > now()
    on conflict (queue_id) do update set check_at = excluded.check_at
    returning queue_id`.execute(db)
  return rows.length > 0
}

/**
 * True if another submission of the account with the same Message-ID may have a draft at the
 * provider: a committed draft, or a recorded deposit. SMTP clients submit a message once per
 * recipient.
 */
export async function isSharedMessageId(
  db: Db,
  { queueId, account, messageId }: Pick<Submission, 'queueId' | 'account' | 'messageId'>,
): Promise<boolean> {
  const isOther = sql`account = ${account} and message_id = ${messageId} and queue_id <> ${queueId}`
  const { rows } = await sql<{ shared: boolean }>`
    select exists (select from outbox where ${isOther} and state in ('queued', 'held')
        and provider_draft is not null)
      or exists (select from draft_cleanups where ${isOther}) as shared`.execute(db)
  return rows[0]?.shared === true
}

/**
 * Deletes the record of a draft deposit that the provider refused, unless an earlier deposit may
 * have left a draft.
 */
export async function forgetDeposit(db: Db, { queueId, mayHaveDraft }: Submission): Promise<void> {
  if (!mayHaveDraft) await db.deleteFrom('draftCleanups').where('queueId', '=', queueId).execute()
}

/**
 * Commits the id of the submission's draft at the mail provider, and renews the outbox lease. From
 * then on, this draft decides whether the message was sent, and an intent record (`data_sent_at`)
 * of an earlier draft proves nothing. Returns false if the lease expired or was lost.
 */
export async function commitDraft(
  db: Db,
  submission: Submission,
  { draft, leaseMs }: LeaseOptions & { draft: ProviderDraft },
): Promise<boolean> {
  const { rows } = await sql`
    with leased as (${leasedRows([submission])}),
    committed as (
      update outbox set provider_draft = ${JSON.stringify(draft)}::jsonb,
        data_sent_at = null, lease_until = ${inMs(leaseMs)}
      from leased where outbox.queue_id = leased.queue_id and outbox.lease_until > now()
      returning outbox.queue_id
    ), forgotten as (
      delete from draft_cleanups using committed
      where draft_cleanups.queue_id = committed.queue_id and not ${submission.mayHaveDraft}::boolean
    )
    select queue_id from committed`.execute(db)
  return rows.length > 0
}
