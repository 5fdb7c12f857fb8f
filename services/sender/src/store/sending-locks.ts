import { type Db, inMs, type Tx } from '@posthorn/db'
import { sql } from 'kysely'

// Mail APIs permit few concurrent requests per mailbox, of which all senders together use one
// request (Microsoft Graph: 4 in all). Therefore one sender at a time works for an account at a
// mail API.

/** Submission or cleanup for which an account is locked. */
export interface LockClaim {
  account: string
  queueId: string
}

/**
 * Locks accounts, each for one claim. Returns the queue ids of the claims whose account is locked.
 * Accounts that this worker has locked already count as locked. Accounts that are paused, or locked
 * by another worker, do not.
 */
export async function lockAccounts(
  db: Db | Tx,
  claims: readonly LockClaim[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<Set<string>> {
  // All statements lock in the same order, so that statements cannot deadlock.
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

/** Keys of the lanes of accounts that another worker has locked or that are paused. */
export async function listLockedAccounts(db: Db, worker: string): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select account from sending_locks where paused_until > now()
      or lease_until > now() and worker <> ${worker}::uuid`.execute(db)
  return rows.map(({ account }) => account)
}

/** Keys of the lanes of accounts that their providers paused. */
export async function listPausedAccounts(db: Db): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select account from sending_locks where paused_until > now()`.execute(db)
  return rows.map(({ account }) => account)
}

/** Renews the locks of the latest claims, together with the leases of the claims. */
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
 * Unlocks accounts, except those that were locked for another claim since. Rows of paused accounts
 * stay; other unused rows are deleted, so that the table stays small.
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

/** Sends nothing for the account in the next `ms`, in all processes. */
export async function pauseAccount(db: Db, account: string, ms: number): Promise<void> {
  await sql`update sending_locks set paused_until = ${inMs(ms)} where account = ${account}`.execute(
    db,
  )
}
