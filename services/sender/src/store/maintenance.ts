import {
  type Db,
  type NewEvent,
  type OutboxError,
  recordEvents,
  type RecordedEvent,
} from '@posthorn/db'
import { sql } from 'kysely'
import { isClaimable, isDue, isExhausted, isOutside } from './outbox.ts'
import { failureColumns } from './outcomes.ts'
import { hasLiveHolder, hasUnknownOutcome } from './senders.ts'
import { listPausedAccounts } from './sending-locks.ts'
import type { LaneKeys, OutboxLease, Submission } from './submission.ts'
import { stateAfter } from './submission-states.ts'

/** Outbox row without attempts left, because the process died in the last attempt. */
export type ExhaustedSubmission = OutboxLease &
  Pick<
    Submission,
    'account' | 'messageId' | 'envelope' | 'maxAttempts' | 'firstError' | 'maybeSent'
  >

export interface ReapOptions {
  limit: number
  serviceUrl: string | null
  failure: (submission: ExhaustedSubmission) => OutboxError
  events: (submission: ExhaustedSubmission) => NewEvent[]
}

/**
 * Number of the oldest due outbox rows that are examined for used up attempts. Rows without
 * attempts left stay due, so they are among the oldest due rows.
 */
const examinedRows = 2_000
const exhausted = sql<string>`(
  select queue_id from (
    select queue_id, attempts, max_attempts, provider_draft, data_sent_at from outbox
    where ${isDue} order by next_attempt_at limit ${sql.lit(examinedRows)}
  ) as oldest where ${isExhausted}
)`

/**
 * Marks outbox rows failed whose attempts are used up without an outcome, because the process died
 * in each attempt. Otherwise a message that crashes senders would crash them forever. Rows whose
 * message may have been sent get further attempts, which only find out whether the message was
 * sent.
 */
export function reapExhausted(
  db: Db,
  { limit, serviceUrl, failure, events }: ReapOptions,
): Promise<RecordedEvent[]> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('outbox')
      .select(['queueId', 'account', 'messageId', 'envelope', 'worker', 'attempts'])
      .select(['maxAttempts', 'firstError', 'dataSentAt'])
      .where('queueId', 'in', exhausted)
      // Evaluates the conditions for a failed submission again after its row was locked, because
      // another sender may have finished the submission.
      .where('state', '=', 'queued')
      .where(isExhausted)
      .orderBy('nextAttemptAt')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
    const recorded: RecordedEvent[] = []
    for (const { attempts: attempt, dataSentAt, worker, ...row } of rows) {
      const maybeSent = dataSentAt !== null
      const submission = { ...row, worker: worker ?? '', attempt, maybeSent }
      await tx
        .updateTable('outbox')
        .set({
          state: stateAfter('queued', 'reap'),
          mime: null,
          finishedAt: sql<Date>`now()`,
          worker: null,
          leaseUntil: null,
          ...failureColumns(failure(submission)),
        })
        .where('queueId', '=', row.queueId)
        .execute()
      recorded.push(...(await recordEvents(tx, events(submission), serviceUrl)))
    }
    return recorded
  })
}

const counted = {
  due: isDue,
  held: sql`state = 'held'`,
  filing: sql`filing_next_at is not null`,
}

/**
 * Number of outbox rows for a gauge, up to 10,000: due, held, or sent with mailbox work (such as a
 * Sent copy) left.
 */
export async function countRows(db: Db, kind: keyof typeof counted): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select 1 from outbox where ${counted[kind]} limit 10000) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Number of outbox rows with an unknown outcome and an expired lease, among the 10,000 oldest due
 * rows. Such rows wait until their sender records the outcome or has ended.
 */
export async function countAwaitingSender(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select data_sent_at, worker, provider_draft from outbox where ${isDue}
      order by next_attempt_at limit ${sql.lit(examinedDue)}
    ) as oldest where ${hasUnknownOutcome}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Number of the oldest due outbox rows that the gauges examine: the rows that wait for their
 * sender, and the age of the oldest due submission. The limit bounds the cost of the queries.
 */
const examinedDue = 10_000

/**
 * Age in seconds of the oldest due submission that may start; 0 without such a submission. Skips
 * submissions in flight, of suspended accounts, gateways and hosts, and of paused accounts. If the
 * 10,000 oldest submissions are all skipped, returns the age of the newest of them, which is an
 * upper bound.
 */
export async function findOldestDueSeconds(db: Db, suspended: LaneKeys): Promise<number> {
  const accounts = [...suspended.accounts, ...(await listPausedAccounts(db))]
  const lanes = { ...suspended, accounts }
  const isAnySuspended = Object.values(lanes).some((keys) => keys.length > 0)
  const limit = isAnySuspended ? examinedDue : 1
  const { rows } = await sql<{ seconds: number | null }>`
    with oldest as materialized (
      select next_attempt_at, account, gateway from outbox
      where ${isClaimable} and not (${hasUnknownOutcome} and ${hasLiveHolder})
      order by next_attempt_at limit ${limit}
    ), startable as (
      select outbox.next_attempt_at from oldest as outbox
      join accounts on accounts.account = outbox.account
      left join gateways on gateways.gateway = outbox.gateway
      where ${isOutside(lanes)}
    )
    select extract(epoch from now() - coalesce(
      (select min(next_attempt_at) from startable),
      (select max(next_attempt_at) from oldest having count(*) = ${limit})
    ))::double precision as seconds`.execute(db)
  return Math.max(0, rows[0]?.seconds ?? 0)
}

/**
 * Deletes outbox rows of submissions that finished more than `keepMs` ago. Returns the number of
 * deleted rows; more rows may be left if the number equals `limit`.
 */
export async function deleteFinished(
  db: Db,
  { keepMs, limit }: { keepMs: number; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from outbox where queue_id in (
      select queue_id from outbox
      where state in ('sent', 'failed') and filing_next_at is null
        and finished_at < now() - make_interval(secs => ${keepMs / 1_000})
        and not exists (select from draft_cleanups where draft_cleanups.queue_id = outbox.queue_id)
      limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows)
}
