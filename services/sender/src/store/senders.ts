import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Time without a heartbeat after which a sender is silent: three heartbeat intervals. */
export const silenceMs = 15_000
/** Time after which sender processes without a heartbeat are deleted from the table `senders`. */
const keepMs = 600_000

/** SQL condition for senders that have a recent heartbeat. */
export const isBeating = sql<boolean>`(heartbeat_at > now()
  - make_interval(secs => ${sql.lit(silenceMs / 1_000)}))`

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

/**
 * Stores the heartbeat of a sender, deletes ended senders, and returns the number of live senders.
 */
export async function saveHeartbeat(db: Db, sender: string): Promise<number> {
  await sql`insert into senders (id, lends) values (${sender}::uuid, true)
    on conflict (id) do update set heartbeat_at = now()`.execute(db)
  await sql`delete from senders
    where heartbeat_at < now() - make_interval(secs => ${keepMs / 1_000})`.execute(db)
  const { count } = await db
    .selectFrom('senders')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where(isBeating)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** True if a sender has a recent heartbeat. */
export async function isSenderBeating(db: Db, sender: string): Promise<boolean> {
  const row = await db
    .selectFrom('senders')
    .select('id')
    .where('id', '=', sender)
    .where(isBeating)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes the row of a stopping sender process from the table `senders`. */
export async function deleteSender(db: Db, sender: string): Promise<void> {
  await db.deleteFrom('senders').where('id', '=', sender).execute()
}
