import { createHash } from 'node:crypto'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import type { Lease } from './lease.ts'

/** Stores a heartbeat, and the worker's row at the first one. */
export async function saveHeartbeat(db: Db, worker: string, proof?: string): Promise<void> {
  const hash = proof === undefined ? null : createHash('sha256').update(proof).digest('hex')
  await sql`
    insert into workers (id, proof) values (${worker}::uuid, ${hash})
    on conflict (id) do update set heartbeat_at = now()
  `.execute(db)
}

/** Excludes a stopping worker from the fair share of the others. */
export async function markStopping(db: Db, worker: string): Promise<void> {
  await sql`update workers set stopping = true where id = ${worker}::uuid`.execute(db)
}

/** Deletes a worker. Shards that it still owned can be claimed immediately. */
export async function deleteWorker(db: Db, worker: string): Promise<void> {
  await sql`delete from workers where id = ${worker}::uuid`.execute(db)
}

/** Deletes workers without a heartbeat for 1 h. Their shards are claimed or free. */
export async function deleteDeadWorkers(db: Db): Promise<void> {
  await sql`delete from workers where heartbeat_at < now() - interval '1 hour'`.execute(db)
}

/** Number of workers that share the shards. */
export async function countWorkers(db: Db, expiryMs: number): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    select count(*)::int as live from workers
    where not stopping and heartbeat_at > now() - make_interval(secs => ${expiryMs / 1000})
  `.execute(db)
  return rows[0]?.live ?? 0
}

/** Shards that the table assigns to a worker. */
export async function listShardsOf(db: Db, worker: string): Promise<Lease[]> {
  const { rows } = await sql<{ shard: number; epoch: string }>`
    select shard, epoch from shards where owner = ${worker}::uuid
  `.execute(db)
  return rows.map(({ shard, epoch }) => ({ shard, owner: worker, epoch }))
}

export interface ClaimOptions {
  worker: string
  limit: number
  /** Shards this worker works on. Others that it owns in the table are claimed again. */
  active: readonly number[]
  /** Validity of a heartbeat. */
  expiryMs: number
}

/** Claims up to `limit` shards without an owner or with a dead one, and raises their epochs. */
export async function claimShards(
  db: Db,
  { worker, limit, active, expiryMs }: ClaimOptions,
): Promise<Lease[]> {
  const { rows } = await sql<{ shard: number; epoch: string }>`
    with free as (
      select shard from shards
      where (
        owner is null
        or (owner = ${worker}::uuid and not shard = any(${active}::smallint[]))
        or (owner <> ${worker}::uuid and not exists (
          select 1 from workers
          where id = shards.owner
            and heartbeat_at > now() - make_interval(secs => ${expiryMs / 1000})
        ))
      )
      order by shard limit ${limit} for update skip locked
    )
    update shards set owner = ${worker}::uuid, epoch = epoch + 1
    from free where shards.shard = free.shard
    returning shards.shard, shards.epoch
  `.execute(db)
  return rows.map(({ shard, epoch }) => ({ shard, owner: worker, epoch }))
}

/** Releases a shard after the end of all transactions under its lease. */
export async function releaseShard(db: Db, { shard, owner, epoch }: Lease): Promise<void> {
  await sql`
    update shards set owner = null
    where shard = ${shard} and owner = ${owner}::uuid and epoch = ${epoch}::bigint
  `.execute(db)
}

/** Releases shards that the table assigns to a worker that does not work on them. */
export async function releaseOrphaned(
  db: Db,
  { worker, active }: { worker: string; active: readonly number[] },
): Promise<void> {
  await sql`
    update shards set owner = null
    where owner = ${worker}::uuid and not shard = any(${active}::smallint[])
  `.execute(db)
}
