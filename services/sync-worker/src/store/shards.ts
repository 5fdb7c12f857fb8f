import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import type { Lease } from './lease.ts'
import { validSince } from './workers.ts'

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

/** Lists the shards (groups of accounts) that the table `shards` assigns to a worker. */
export async function listShardsOf(db: Db, worker: string): Promise<Lease[]> {
  const { rows } = await sql<{ shard: number; epoch: string }>`
    select shard, epoch from shards where owner = ${worker}::uuid
  `.execute(db)
  return rows.map(({ shard, epoch }) => ({ shard, owner: worker, epoch }))
}

/** Limits of a claim of shards (groups of accounts) by a sync-worker. */
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
