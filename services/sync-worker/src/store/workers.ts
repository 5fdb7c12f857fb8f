import { createHash } from 'node:crypto'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Heartbeat that a sync-worker stores periodically to keep its shards (groups of accounts). */
export interface Heartbeat {
  worker: string
  /** Secret that authenticates the sync-worker. Only the hash of the secret is stored. */
  proof?: string
  /** True if the worker refuses further shards (groups of accounts) for lack of memory. */
  refusing: boolean
}

/** Stores a heartbeat of a worker. The first heartbeat also inserts the worker's row. */
export async function saveHeartbeat(db: Db, { worker, proof, refusing }: Heartbeat): Promise<void> {
  const hash = proof === undefined ? null : createHash('sha256').update(proof).digest('hex')
  await sql`
    insert into workers (id, proof, refusing, lends)
    values (${worker}::uuid, ${hash}, ${refusing}, true)
    on conflict (id) do update set heartbeat_at = now(), refusing = excluded.refusing
  `.execute(db)
}

/**
 * Marks a sync-worker as stopping. A stopping worker has no fair share of the shards (groups of
 * accounts).
 */
export async function markStopping(db: Db, worker: string): Promise<void> {
  await sql`update workers set stopping = true where id = ${worker}::uuid`.execute(db)
}

/**
 * Deletes the row of a sync-worker. Other workers can claim the shards (groups of accounts) of the
 * deleted worker immediately.
 */
export async function deleteWorker(db: Db, worker: string): Promise<void> {
  await sql`delete from workers where id = ${worker}::uuid`.execute(db)
}

/**
 * Deletes the rows of sync-workers without a heartbeat for 1 h. Shards (groups of accounts) of such
 * workers are claimed or free.
 */
export async function deleteDeadWorkers(db: Db): Promise<void> {
  await sql`delete from workers where heartbeat_at < now() - interval '1 hour'`.execute(db)
}

/** Sync-worker whose heartbeat has not expired. */
export interface LiveWorker {
  id: string
  stopping: boolean
  refusing: boolean
  /** True if the sync-worker lends quota units of mail APIs to senders. */
  lends: boolean
  /** Number of shards (groups of accounts) that the table `shards` assigns to the worker. */
  shards: number
}

/**
 * Lists the sync-worker `worker`, and all sync-workers with a heartbeat in the last `expiryMs`.
 * Includes stopping workers.
 */
export async function listWorkers(db: Db, worker: string, expiryMs: number): Promise<LiveWorker[]> {
  const { rows } = await sql<LiveWorker>`
    select id, stopping, refusing, lends,
      (select count(*)::int from shards where owner = workers.id) as shards
    from workers where id = ${worker}::uuid or heartbeat_at > ${validSince(expiryMs)}
  `.execute(db)
  return rows
}

/**
 * True if a live sender process runs an older release. Such a sender does not borrow quota units of
 * mail APIs but uses a fixed share of them.
 */
export async function hasFixedSenders(db: Db, expiryMs: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from senders where not lends and heartbeat_at > ${validSince(expiryMs)} limit 1
  `.execute(db)
  return rows.length > 0
}

/** Login time to reserve at the sync-workers that take over released shards. */
export interface Reservation {
  /**
   * Ids of the sync-workers that will claim the shards (groups of accounts) that this worker
   * releases: workers below their fair share.
   */
  receivers: readonly string[]
  /** Seconds that the logins of the accounts in released shards will take at the receivers. */
  seconds: number
  /**
   * Time by which a worker is ready for more logins before the login time reserved at the worker
   * ends.
   */
  aheadMs: number
}

/**
 * Reserves time for logins at the receiver (worker that takes shards) that is ready first. Returns
 * false if no receiver is ready. All workers that release shards reserve time in the same table, so
 * that the receivers are not overloaded.
 */
export async function reserveLogins(
  db: Db,
  { receivers, seconds, aheadMs }: Reservation,
): Promise<boolean> {
  const { rows } = await sql`
    update workers
    set logging_in_until = greatest(logging_in_until, now()) + make_interval(secs => ${seconds})
    where id = (
      select id from workers
      where id = any(${sql.val([...receivers])}::uuid[])
        and logging_in_until <= now() + make_interval(secs => ${aheadMs / 1000})
      order by logging_in_until limit 1 for update skip locked
    )
    returning id
  `.execute(db)
  return rows.length > 0
}

/**
 * Adds reserved login time to the receivers (workers that take shards) in equal parts, including
 * receivers that are not ready.
 */
export async function addLogins(
  db: Db,
  { receivers, seconds }: Omit<Reservation, 'aheadMs'>,
): Promise<void> {
  await sql`
    update workers set logging_in_until = greatest(logging_in_until, now())
      + make_interval(secs => ${seconds / receivers.length})
    where id = any(${sql.val([...receivers])}::uuid[])
  `.execute(db)
}

/** SQL expression of the time since which a heartbeat must have been stored to be valid. */
export function validSince(expiryMs: number) {
  return sql`now() - make_interval(secs => ${expiryMs / 1000})`
}
