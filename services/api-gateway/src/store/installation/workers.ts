import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sql } from 'kysely'

/**
 * Worker (sync-worker process) with its shards (groups of accounts) and the number of accounts in
 * them.
 */
export interface WorkerRow {
  /** Id of the worker. Null for the shards that no worker in the table holds. */
  id: string | null
  alive: boolean
  /** Time of the last heartbeat of the worker. Not present in the row with the id null. */
  heartbeatAt: Date
  stopping: boolean
  refusing: boolean
  /**
   * Expected end of the logins for accounts that other workers transferred to this worker. Null if
   * the time has passed.
   */
  loggingInUntil: Date | null
  shards: number[]
  accounts: number
}

/**
 * Lists the workers by id, and last a row with the id null for the shards without a worker, if
 * there are such shards. Counts accounts by the index of their shards.
 */
export async function listWorkerRows(db: Db, expiryMs: number): Promise<WorkerRow[]> {
  const { rows } = await sql<WorkerRow>`
    with counted as (
      select shard, count(*) as accounts from accounts group by shard
    ), held as (
      select owner, array_agg(shard::int order by shard) as shards, sum(coalesce(accounts, 0)) as accounts
      from shards left join counted using (shard) group by owner
    )
    select workers.id,
      coalesce(heartbeat_at > now() - make_interval(secs => ${expiryMs / 1_000}), false) as alive,
      heartbeat_at as "heartbeatAt", stopping, refusing,
      case when logging_in_until > now() then logging_in_until end as "loggingInUntil",
      coalesce(shards, '{}') as shards, coalesce(accounts, 0)::int as accounts
    from workers full join held on held.owner = workers.id
    order by workers.id nulls last
  `.execute(db)
  return rows
}

/**
 * Marks a worker as stopping, so that it releases its shards to other workers at the pace of their
 * logins.
 * @throws AppError `not-found` for an unknown worker
 */
export async function markReleasing(db: Db, worker: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update workers set stopping = true where id = ${worker}::uuid
  `.execute(db)
  if (!numAffectedRows) throw new AppError('not-found', 'Unknown worker', { code: 'NotFound' })
}
