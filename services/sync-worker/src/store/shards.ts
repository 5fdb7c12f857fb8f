import { createHash } from 'node:crypto'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import type { Lease } from './lease.ts'

/** Says that this worker lives. */
export async function saveHeartbeat(db: Db, worker: string, proof?: string): Promise<void> {
  const hash = proof === undefined ? null : createHash('sha256').update(proof).digest('hex')
  await sql`
    insert into workers (id, proof) values (${worker}::uuid, ${hash})
    on conflict (id) do update set heartbeat_at = now()
  `.execute(db)
}

/** Says that this worker is about to end: it does not count for anybody's fair share any more. */
export async function markStopping(db: Db, worker: string): Promise<void> {
  await sql`update workers set stopping = true where id = ${worker}::uuid`.execute(db)
}

/** Takes a worker out; whatever it still held is free at once. */
export async function deleteWorker(db: Db, worker: string): Promise<void> {
  await sql`delete from workers where id = ${worker}::uuid`.execute(db)
}

/** Rows of workers that ended without a word long ago. Their shards were claimed or are free. */
export async function deleteDeadWorkers(db: Db): Promise<void> {
  await sql`delete from workers where heartbeat_at < now() - interval '1 hour'`.execute(db)
}

/** How many workers share the shards. */
export async function countWorkers(db: Db, expiryMs: number): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    select count(*)::int as live from workers
    where not stopping and heartbeat_at > now() - make_interval(secs => ${expiryMs / 1000})
  `.execute(db)
  return rows[0]?.live ?? 0
}

/** The shards that are this worker's, with their epochs. */
export async function listShardsOf(db: Db, worker: string): Promise<Lease[]> {
  const { rows } = await sql<{ shard: number; epoch: string }>`
    select shard, epoch from shards where owner = ${worker}::uuid
  `.execute(db)
  return rows.map(({ shard, epoch }) => ({ shard, owner: worker, epoch }))
}

export interface ClaimOptions {
  worker: string
  limit: number
  /** Shards this worker works on: what is its own in the table but not among them was lost in between, and is claimed anew. */
  held: readonly number[]
  /** How long a heartbeat lasts. */
  expiryMs: number
}

/** Takes up to `limit` shards that nobody holds, or whose holder has not been heard of, and raises their epochs. */
export async function claimShards(
  db: Db,
  { worker, limit, held, expiryMs }: ClaimOptions,
): Promise<Lease[]> {
  const { rows } = await sql<{ shard: number; epoch: string }>`
    with free as (
      select shard from shards
      where (
        owner is null
        or (owner = ${worker}::uuid and not shard = any(${held}::smallint[]))
        or (owner <> ${worker}::uuid and not exists (
          select 1 from workers
          where id = shards.owner and heartbeat_at > now() - make_interval(secs => ${expiryMs / 1000})
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

/** Gives a shard back. Waits for transactions under its lease. */
export async function releaseShard(db: Db, { shard, owner, epoch }: Lease): Promise<void> {
  await sql`
    update shards set owner = null
    where shard = ${shard} and owner = ${owner}::uuid and epoch = ${epoch}::bigint
  `.execute(db)
}

/** Gives back what is this worker's in the table and not among the shards it works on. */
export async function releaseOrphaned(
  db: Db,
  { worker, held }: { worker: string; held: readonly number[] },
): Promise<void> {
  await sql`
    update shards set owner = null
    where owner = ${worker}::uuid and not shard = any(${held}::smallint[])
  `.execute(db)
}
