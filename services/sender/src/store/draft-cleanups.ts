import type { Backend, Db, ProviderDraft, Tx } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'
import { inMs } from './outbox.ts'

/** Finished or deleted submission of which drafts may be left at the provider. */
export interface DueCleanup {
  queueId: string
  account: string
  backend: Backend
  messageId: string
  /** Committed draft of a submission that was not sent. */
  draftId: string | null
  /** Draft that was sent. A search may still report it as a draft. */
  sentDraftId: string | null
  /** Number of successful checks. */
  checks: number
  ageMs: number
}

/** Query of the unfinished submissions of an account with a Message-ID. */
const unfinished = (account: RawBuilder<unknown>, messageId: RawBuilder<unknown>) =>
  sql`select queue_id from outbox where outbox.account = ${account}
    and outbox.message_id = ${messageId} and state in ('queued', 'held')`

/**
 * Claims due cleanups for `leaseMs`. While a submission is waiting or in an attempt, its drafts are
 * left alone: the attempt looks for them, and would take a removed one for a sent message. So are
 * those of other submissions with its Message-ID, of which a search does not tell them apart.
 */
export async function claimCleanups(
  db: Db,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<DueCleanup[]> {
  const { rows } = await sql<DueCleanup>`
    with due as materialized (
      select cleanup.queue_id, outbox.state, outbox.provider_draft ->> 'id' as draft_id
      from draft_cleanups cleanup left join outbox using (queue_id)
      where check_at <= now() and (outbox.state is null or outbox.state in ('sent', 'failed'))
        and not exists (${unfinished(sql`cleanup.account`, sql`cleanup.message_id`)})
      order by check_at limit ${limit} for update of cleanup skip locked
    )
    update draft_cleanups set check_at = ${inMs(leaseMs)}, lease_until = ${inMs(leaseMs)}
    from due, accounts
    where draft_cleanups.queue_id = due.queue_id and accounts.account = draft_cleanups.account
    returning draft_cleanups.queue_id as "queueId", draft_cleanups.account, accounts.backend,
      message_id as "messageId", draft_cleanups.draft_id as "draftId",
      case when due.state = 'sent' then due.draft_id end as "sentDraftId", checks,
      (extract(epoch from now() - draft_cleanups.created_at) * 1000)::double precision as "ageMs"
  `.execute(db)
  return rows
}

/**
 * True if a draft that was found belongs to no other submission of the account. A submission
 * precedes its draft, so that this holds until the draft is removed.
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

/** Schedules the next check. `counted` is false if the provider was not asked. */
export async function postponeCleanup(
  db: Db,
  { queueId, checks }: Pick<DueCleanup, 'queueId' | 'checks'>,
  { delayMs, counted }: { delayMs: number; counted: boolean },
): Promise<void> {
  await db
    .updateTable('draftCleanups')
    .set({ checkAt: inMs(delayMs), leaseUntil: null, checks: counted ? checks + 1 : checks })
    .where('queueId', '=', queueId)
    .execute()
}

/** Ends a cleanup: its drafts are removed, or given up. */
export async function endCleanup(db: Db, { queueId }: Pick<DueCleanup, 'queueId'>): Promise<void> {
  await db.deleteFrom('draftCleanups').where('queueId', '=', queueId).execute()
}

interface UnsentDraft {
  queueId: string
  account: string
  messageId: string
  providerDraft: ProviderDraft | null
}

/** Requests the removal of the draft of a submission that will not be sent. A stored one stays. */
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
