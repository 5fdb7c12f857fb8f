import {
  type Backend,
  type Db,
  type DueRow,
  DueRows,
  type ProviderDraft,
  type Tx,
} from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/** Finished or deleted submission that may have left drafts at the mail provider. */
export interface DueCleanup extends DueRow {
  queueId: string
  backend: Backend
  messageId: string
  /**
   * Id of the draft at the mail provider that the submission committed, although its message was
   * not sent.
   */
  draftId: string | null
  /**
   * Id of the draft at the mail provider that was sent. A search may still report the sent message
   * as a draft.
   */
  sentDraftId: string | null
}

/** Query of the unfinished submissions of an account with a Message-ID. */
const unfinished = (account: RawBuilder<unknown>, messageId: RawBuilder<unknown>) =>
  sql`select queue_id from outbox where outbox.account = ${account}
    and outbox.message_id = ${messageId} and state in ('queued', 'held')`

/**
 * Due rows of draft cleanups, which remove the drafts of finished submissions at mail providers.
 * Only successful checks are counted. The lease entitles the sender to the login of the account.
 */
export const cleanups = new DueRows<'draftCleanups', DueCleanup>({
  table: 'draftCleanups',
  key: 'queueId',
  dueAt: 'checkAt',
  leaseUntil: 'leaseUntil',
  since: 'createdAt',
  counter: 'checks',
  counted: 'postpone',
  columns: sql`queue_id as "queueId", message_id as "messageId", draft_id as "draftId",
    (select backend from accounts where accounts.account = draft_cleanups.account),
    (select provider_draft ->> 'id' from outbox
      where outbox.queue_id = draft_cleanups.queue_id and state = 'sent') as "sentDraftId"`,
})

/**
 * SQL condition for draft cleanups whose drafts may be removed. While a submission is waiting or in
 * an attempt, its drafts stay: the attempt searches for drafts, and would take a removed draft for
 * a sent message. Drafts of other submissions with the same Message-ID stay, too, because a search
 * does not distinguish drafts by submission.
 */
export const mayCleanUp = sql<boolean>`not exists (select from outbox
    where outbox.queue_id = draft_cleanups.queue_id and state in ('queued', 'held'))
  and not exists (${unfinished(sql`draft_cleanups.account`, sql`draft_cleanups.message_id`)})`

/**
 * True if a draft found at the mail provider belongs to no other submission of the account. A
 * submission is stored before its draft, so the result is valid until the draft is removed.
 */
export async function isRemovable(
  db: Db,
  { queueId, account, messageId }: Pick<DueCleanup, 'queueId' | 'account' | 'messageId'>,
  draftId: string,
): Promise<boolean> {
  const { rows } = await sql<{ removable: boolean }>`
    select not exists (${unfinished(sql`${account}`, sql`${messageId}`)})
      and not exists (select from outbox where account = ${account}
        and (queue_id <> ${queueId} or provider_draft ->> 'stored' is not null)
        and provider_draft is not null and provider_draft ->> 'id' = ${draftId}) as removable
  `.execute(db)
  return rows[0]?.removable === true
}

interface UnsentDraft {
  queueId: string
  account: string
  messageId: string
  providerDraft: ProviderDraft | null
}

/**
 * Requests the removal of the draft that a submission left at the mail provider although its
 * message will not be sent. A draft that the owner stored stays.
 */
export async function requestCleanup(tx: Tx, submission: UnsentDraft): Promise<void> {
  const { queueId, account, messageId, providerDraft } = submission
  if (!providerDraft || providerDraft.stored) return
  const checkAt = sql<Date>`now()`
  await tx
    .insertInto('draftCleanups')
    .values({ queueId, account, messageId, draftId: providerDraft.id, checkAt })
    .onConflict((conflict) =>
      conflict.column('queueId').doUpdateSet({ draftId: providerDraft.id, checkAt }),
    )
    .execute()
}
