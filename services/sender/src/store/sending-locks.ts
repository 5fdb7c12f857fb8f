import { type Db, inMs, type Tx } from '@posthorn/db'
import { sql } from 'kysely'

// Mail APIs permit few concurrent requests per mailbox, of which all senders together use one
// request (Microsoft Graph: 4 in all). Therefore one sender at a time works for an account at a
// mail API.

/** Submission or draft cleanup for which an account at a mail API is locked. */
export interface LockClaim {
  account: string
  queueId: string
}

/**
 * Takes the account locks with which this process is the only one to send messages, or remove
 * drafts, of accounts at mail APIs. Returns the queue ids of the claims whose account lock this
 * process now holds, or held before. An account that is paused, or locked by another process, is
 * left out.
 */
export async function lockAccounts(
  db: Db | Tx,
  claims: readonly LockClaim[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<Set<string>> {
  // All statements lock accounts in the order of account ids, so that statements cannot deadlock.
  const sorted = claims.toSorted((a, b) => (a.account < b.account ? -1 : 1))
  const { rows } = await sql<{ queueId: string }>`
    insert into sending_locks as lock (account, queue_id, worker, lease_until)
    select account, queue_id, ${worker}::uuid, ${inMs(leaseMs)}
    from unnest(${sql.val(sorted.map(({ account }) => account))}::text[],
      ${sql.val(sorted.map(({ queueId }) => queueId))}::text[]) as claim (account, queue_id)
    on conflict (account) do update set queue_id = excluded.queue_id, worker = excluded.worker,
      lease_until = excluded.lease_until
    where (lock.lease_until <= now() or lock.worker = excluded.worker)
      and (lock.paused_until is null or lock.paused_until <= now())
    returning queue_id as "queueId"`.execute(db)
  return new Set(rows.map(({ queueId }) => queueId))
}

/** Keys of the lanes (limits) of accounts that another sender locked or the provider paused. */
export async function listLockedAccounts(db: Db, worker: string): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select account from sending_locks where paused_until > now()
      or lease_until > now() and worker <> ${worker}::uuid`.execute(db)
  return rows.map(({ account }) => account)
}

/** Keys of the lanes (limits) of accounts that their mail providers paused. */
export async function listPausedAccounts(db: Db): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select account from sending_locks where paused_until > now()`.execute(db)
  return rows.map(({ account }) => account)
}

/**
 * Renews the account locks of this sender that were last taken for the submissions or cleanups
 * `queueIds`.
 */
export async function renewLocks(
  db: Db,
  queueIds: readonly string[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<void> {
  if (queueIds.length === 0) return
  await sql`update sending_locks set lease_until = ${inMs(leaseMs)}
    where worker = ${worker}::uuid and queue_id = any(${sql.val(queueIds)}::text[])`.execute(db)
}

/**
 * Unlocks accounts at mail APIs, except accounts that were meanwhile locked for another submission
 * or cleanup. The lock rows of paused accounts stay; other unused rows are deleted, so that the
 * table stays small.
 */
export async function unlockAccounts(
  db: Db | Tx,
  claims: readonly LockClaim[],
  worker: string,
): Promise<void> {
  const isHeld = sql`worker = ${worker}::uuid and (account, queue_id) in (
    select * from unnest(${sql.val(claims.map(({ account }) => account))}::text[],
      ${sql.val(claims.map(({ queueId }) => queueId))}::text[]))`
  await sql`
    with unlocked as (
      delete from sending_locks where ${isHeld} and coalesce(paused_until <= now(), true)
    )
    update sending_locks set lease_until = now()
    where ${isHeld} and paused_until > now()`.execute(db)
}

/**
 * Pauses an account at a mail API: no sender process sends a message of the account in the next
 * `ms`.
 */
export async function pauseAccount(db: Db, account: string, ms: number): Promise<void> {
  await sql`update sending_locks set paused_until = ${inMs(ms)} where account = ${account}`.execute(
    db,
  )
}
