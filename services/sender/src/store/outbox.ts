import { type Db, inMs, isSentByApi } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'
import { hasUnknownOutcome, type KnownSenders, mayBeFree } from './senders.ts'
import { listLockedAccounts } from './sending-locks.ts'
import { memoryBytes } from './stored-mime.ts'
import type { DueSubmission, Handover, LaneKeys, OutboxLease, Submission } from './submission.ts'

export const isDue = sql<boolean>`(state = 'queued' and next_attempt_at <= now()
  and (lease_until is null or lease_until < now()))`
/**
 * Attempts beyond the last regular attempt of a submission, needed if the sender dies during an
 * attempt. These attempts only find out whether the message was sent.
 */
const maxLookups = 3
/**
 * SQL condition for outbox rows with attempts left. If the last attempt of a row may have sent the
 * message, further attempts only find out whether the message was sent.
 */
const hasAttempts = sql<boolean>`(provider_draft is not null
  or attempts < max_attempts + case when data_sent_at is null then 0 else ${sql.lit(maxLookups)} end)`
/** SQL condition for outbox rows whose attempts are used up. */
export const isExhausted = sql<boolean>`(not ${hasAttempts})`
/**
 * SQL condition for due outbox rows with attempts left. Rows with an unknown outcome also require
 * `mayTakeOver`.
 */
export const isClaimable = sql<boolean>`(${isDue} and ${hasAttempts})`

export const laneHost = sql<string>`coalesce(case when ${isSentByApi} then null when outbox.gateway is null
  then lower(accounts.smtp ->> 'host') || ':' || (accounts.smtp ->> 'port')
  else lower(gateways.host) || ':' || gateways.port end, '')`
const laneAccount = sql<string>`(outbox.account || coalesce(E'\\n' || outbox.gateway, ''))`

/**
 * SQL condition for rows of `outbox`, joined with accounts and gateways (shared SMTP servers),
 * whose account, gateway and host are in none of the lists `accounts`, `gateways` and `hosts`.
 */
export function isOutside({ accounts, gateways, hosts }: LaneKeys) {
  return sql<boolean>`(${laneAccount} <> all(${sql.val(accounts)}::text[])
    and (outbox.gateway is null or outbox.gateway <> all(${sql.val(gateways)}::text[]))
    and ${laneHost} <> all(${sql.val(hosts)}::text[]))`
}

/** Limit and exclusions of a list of due outbox rows. */
export interface DueOptions {
  limit: number
  /** Lanes (accounts, gateways, hosts) without capacity. Outbox rows of these lanes are skipped. */
  saturated: LaneKeys
  /**
   * Other senders, with the results of the checks whether they have ended. Accounts that another
   * sender has locked are skipped. Rows with an unknown outcome are skipped while their sender is
   * alive and may still record the outcome.
   */
  senders: Pick<KnownSenders, 'worker' | 'silent'>
}

/** Lists due outbox rows, oldest first. Claims no rows. */
export async function listDue(
  db: Db,
  { limit, saturated, senders }: DueOptions,
): Promise<DueSubmission[]> {
  const { worker } = senders
  const locked = await listLockedAccounts(db, worker)
  const lanes = { ...saturated, accounts: [...saturated.accounts, ...locked] }
  return db
    .selectFrom('outbox')
    .innerJoin('accounts', 'accounts.account', 'outbox.account')
    .leftJoin('gateways', 'gateways.gateway', 'outbox.gateway')
    .select([
      'outbox.queueId',
      'outbox.account',
      'outbox.gateway',
      laneHost.as('host'),
      memoryBytes.as('bytes'),
      isSentByApi.as('byApi'),
      sql<boolean>`(attempts = 0 and max_attempts > 1 and not ${isSentByApi})`.as('fresh'),
      sql<
        string | null
      >`case when ${hasUnknownOutcome} and worker <> ${worker}::uuid then worker end`.as('holder'),
    ])
    .where(isClaimable)
    .where(mayBeFree(senders))
    .where(isOutside(lanes))
    .orderBy('nextAttemptAt')
    .limit(limit)
    .execute()
}

/**
 * Renews the leases of outbox rows. Returns the queue ids of the rows that this sender still
 * leases.
 */
export function renewLeases(db: Db, leases: OutboxLease[], leaseMs: number): Promise<Set<string>> {
  return updateLeased(db, leases, { set: sql`lease_until = ${inMs(leaseMs)}` })
}

/**
 * Writes the intent records (`data_sent_at`) of outbox rows before the end of data is sent: from
 * the commit on, the mail servers may have the messages. Returns for each row whether its intent
 * record was written. Without an intent record the end of data must not be sent, because the lease
 * expired or was lost.
 */
export async function markDataSent(
  db: Db,
  handovers: readonly Handover[],
  leaseMs: number,
): Promise<boolean[]> {
  const recipients = handovers.map(({ recipients }) => recipients && JSON.stringify(recipients))
  const { rows } = await sql<{ queueId: string }>`
    with leased as (${leasedRows(handovers)})
    update outbox set data_sent_at = now(), lease_until = ${inMs(leaseMs)},
      handed_over = handover.recipients::jsonb
    from leased join unnest(${sql.val(handovers.map(({ queueId }) => queueId))}::text[],
      ${sql.val(recipients)}::text[]) as handover (queue_id, recipients) using (queue_id)
    where outbox.queue_id = leased.queue_id and outbox.lease_until > now()
    returning outbox.queue_id as "queueId"`.execute(db)
  const written = new Set(rows.map(({ queueId }) => queueId))
  return handovers.map(({ queueId }) => written.has(queueId))
}

/**
 * Updates the outbox rows whose fencing token (sender process and attempt) matches. Returns the
 * queue ids of the updated rows.
 */
async function updateLeased(
  db: Db,
  leases: OutboxLease[],
  { set }: { set: RawBuilder<unknown> },
): Promise<Set<string>> {
  if (leases.length === 0) return new Set()
  const { rows } = await sql<{ queueId: string }>`
    with leased as (${leasedRows(leases)})
    update outbox set ${set} from leased
    where outbox.queue_id = leased.queue_id
    returning outbox.queue_id as "queueId"`.execute(db)
  return new Set(rows.map(({ queueId }) => queueId))
}

/**
 * Query that locks the outbox rows whose fencing token (sender process and attempt) matches. All
 * statements lock rows in the order of queue ids, so that statements cannot deadlock.
 */
export function leasedRows(leases: readonly OutboxLease[]) {
  const column = <K extends keyof OutboxLease>(key: K) => sql.val(leases.map((row) => row[key]))
  return sql`
    select outbox.queue_id from outbox join unnest(${column('queueId')}::text[],
      ${column('worker')}::uuid[], ${column('attempt')}::integer[])
      as lease (queue_id, worker, attempt)
      on outbox.queue_id = lease.queue_id and outbox.worker = lease.worker
        and outbox.attempts = lease.attempt
    where outbox.state = 'queued' order by outbox.queue_id for update of outbox`
}

const released = sql`attempts = attempts - 1, worker = null, lease_until = null`

/**
 * Releases the claim of an outbox row after a cancelled attempt, and takes back the counted
 * attempt. The intent record (`data_sent_at`) is removed, unless the server may have the message
 * (`maybeSent`).
 */
export async function releaseClaim(
  db: Db,
  submission: OutboxLease & Pick<Submission, 'maybeSent'>,
  delayMs: number,
): Promise<void> {
  const intent = submission.maybeSent ? sql`data_sent_at` : sql`null`
  const set = sql`${released}, next_attempt_at = ${inMs(delayMs)}, data_sent_at = ${intent}`
  await updateLeased(db, [submission], { set })
}

/** Releases the claims of outbox rows whose attempts did not start. The rows stay due. */
export async function releaseUnstarted(db: Db, leases: OutboxLease[]): Promise<void> {
  await updateLeased(db, leases, { set: released })
}
