import { createHash } from 'node:crypto'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import type { Lease } from './lease.ts'

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

/** Maximum number of unclaimed accounts that the metric counts. Limits the cost of the query. */
const maxCounted = 10_000

/** Number of accounts in shards that no live worker holds, up to 10,000. */
export async function countUnclaimedAccounts(db: Db, expiryMs: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select 1 from accounts where shard in (
        select shard from shards where not exists (
          select 1 from workers
          where id = shards.owner and heartbeat_at > ${validSince(expiryMs)}
        )
      ) limit ${maxCounted}
    ) as unclaimed
  `.execute(db)
  return rows[0]?.count ?? 0
}

function validSince(expiryMs: number) {
  return sql`now() - make_interval(secs => ${expiryMs / 1000})`
}

/** Lists the shards (groups of accounts) that the table `shards` assigns to a worker. */
export async function listShardsOf(db: Db, worker: string): Promise<Lease[]> {
  const { rows } = await sql<{ shard: number; epoch: string }>`
    select shard, epoch from shards where owner = ${worker}::uuid
  `.execute(db)
  return rows.map(({ shard, epoch }) => ({ shard, owner: worker, epoch }))
}

export interface ClaimOptions {
  worker: string
  /** Maximum number of shards (groups of accounts) that one statement claims. */
  limit: number
  /** Maximum number of accounts in the claimed shards. */
  capacity: number
  /** Number of accounts in the claimed shards after which the statement claims no further shard. */
  step: number
  /**
   * Shards (groups of accounts) on which this worker works. Claims include other shards that the
   * table `shards` assigns to this worker.
   */
  active: readonly number[]
  /** Time for which a sync-worker's heartbeat is valid. */
  expiryMs: number
}

/**
 * Claims shards (groups of accounts) without an owner or with a dead owner, and raises their epochs
 * (claim numbers).
 */
export async function claimShards(
  db: Db,
  { worker, limit, capacity, step, active, expiryMs }: ClaimOptions,
): Promise<Lease[]> {
  const { rows } = await sql<{ shard: number; epoch: string }>`
    with free as materialized (
      select shard from shards
      where (
        owner is null
        or (owner = ${worker}::uuid and not shard = any(${active}::smallint[]))
        or (owner <> ${worker}::uuid and not exists (
          select 1 from workers
          where id = shards.owner and heartbeat_at > ${validSince(expiryMs)}
        ))
      )
      order by shard limit ${limit} for update skip locked
    ), counted as (
      select shard, (select count(*) from accounts where accounts.shard = free.shard) as accounts
      from free
    ), summed as (
      select shard, sum(accounts) over (order by shard) as accounts,
        sum(accounts) over (order by shard) - accounts as preceding
      from counted
    )
    update shards set owner = ${worker}::uuid, epoch = epoch + 1
    from summed where shards.shard = summed.shard
      and summed.preceding < ${step}::bigint and summed.accounts <= ${capacity}::bigint
    returning shards.shard, shards.epoch
  `.execute(db)
  return rows.map(({ shard, epoch }) => ({ shard, owner: worker, epoch }))
}

/**
 * Releases a shard (group of accounts). Waits for the end of all transactions under the lease of
 * the shard.
 */
export async function releaseShard(db: Db, { shard, owner, epoch }: Lease): Promise<void> {
  await sql`
    update shards set owner = null
    where shard = ${shard} and owner = ${owner}::uuid and epoch = ${epoch}::bigint
  `.execute(db)
}

/**
 * Releases shards (groups of accounts) that the table assigns to a worker that does not work on
 * these shards.
 */
export async function releaseOrphaned(
  db: Db,
  { worker, active }: { worker: string; active: readonly number[] },
): Promise<void> {
  await sql`
    update shards set owner = null
    where owner = ${worker}::uuid and not shard = any(${active}::smallint[])
  `.execute(db)
}
