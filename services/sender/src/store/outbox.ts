import { type Db, inMs, isSentByApi } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'
import { isBeating } from './senders.ts'
import {
  type Handover,
  type LaneKeys,
  type OutboxLease,
  stateAfter,
  type Submission,
  type SubmissionState,
  type SubmissionTrigger,
} from './submission.ts'

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
/**
 * SQL condition for outbox rows with an unknown outcome: the sender has neither recorded the
 * outcome nor released the claim, and the server may have the message. Excludes rows with a draft
 * at a provider, because the draft tells whether the message was sent.
 */
export const hasUnknownOutcome = sql<boolean>`(data_sent_at is not null and worker is not null
  and provider_draft is null)`
/** SQL condition for outbox rows whose sender has a recent heartbeat. */
export const hasLiveHolder = sql<boolean>`exists (select from senders
  where senders.id = outbox.worker and ${isBeating})`

/**
 * Other sender processes, classified by this process's checks whether the other processes have
 * ended.
 */
export interface KnownSenders {
  /** Id of this sender process. */
  worker: string
  /** Ids of sender processes that have ended, according to the checks of this process. */
  dead: readonly string[]
  /** Ids of sender processes that a recent check did not find to have ended. */
  silent: readonly string[]
}

/**
 * SQL condition for outbox rows that this sender may take over once their lease has expired: rows
 * without an unknown outcome, rows of this sender, and rows of senders that have ended. A living
 * sender may still record the outcome of its rows.
 */
export function mayTakeOver({ worker, dead }: Pick<KnownSenders, 'worker' | 'dead'>) {
  return sql<boolean>`(not ${hasUnknownOutcome} or worker = ${worker}::uuid
    or worker = any(${sql.val([...dead])}::uuid[]) and not ${hasLiveHolder})`
}

/**
 * SQL condition for outbox rows that this sender may take over, or may be able to take over because
 * the sender of the row may have ended.
 */
export function mayBeFree({ worker, silent }: Pick<KnownSenders, 'worker' | 'silent'>) {
  return sql<boolean>`(not ${hasUnknownOutcome} or worker = ${worker}::uuid
    or worker <> all(${sql.val([...silent])}::uuid[]) and not ${hasLiveHolder})`
}
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

/**
 * Next state of a submission as an SQL literal. Unlike a parameter, a literal is visible in
 * `pg_stat_activity`.
 */
export function stateLiteral(state: SubmissionState, trigger: SubmissionTrigger) {
  return sql.lit(stateAfter(state, trigger))
}
