import type { BulkJobs, Db, Tx } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'
import {
  type BulkClaim,
  ClaimLostError,
  countSelectedRows,
  insertSelectedRows,
} from './bulk-rows.ts'
import type { Selection } from './bulk-selections.ts'

/** Bulk job that this replica has claimed. */
export interface ClaimedJob extends BulkClaim, Selection {
  action: Selectable<BulkJobs>['action']
  logs: boolean | null
  /** Maximum number of rows that the filter of the bulk job may select. Null: no maximum. */
  maxEntries: number | null
  /** False if the rows of the bulk job are not selected yet. */
  isStarted: boolean
}

export interface ClaimOptions {
  leaseMs: number
  /**
   * False to claim only bulk jobs whose actions send no command, because RabbitMQ is unavailable to
   * this replica. Another replica may be connected.
   */
  canSend: boolean
}

/** SQL condition for bulk jobs whose actions send commands to workers or senders. */
const sendsCommands = sql<boolean>`(kind = 'outbox' or action = 'sync')`

/**
 * Claims the oldest unfinished bulk job that no other replica runs. Undefined if there is none.
 *
 * Only the oldest unfinished job of each action can be claimed, so jobs with the same action run
 * one after the other, and the pace of an action holds for all replicas together.
 */
export async function claimBulkJob(
  db: Db,
  claim: string,
  { leaseMs, canSend }: ClaimOptions,
): Promise<ClaimedJob | undefined> {
  const { rows } = await sql<ClaimedJob>`
    update bulk_jobs set claim = ${claim}::uuid, lease_until = ${leaseEnd(leaseMs)}
    where id = (
      select id from bulk_jobs jobs
      where state in ('queued', 'running') and (lease_until is null or lease_until <= now())
        and (${canSend}::boolean or not ${sendsCommands})
        and not exists (
          select from bulk_jobs earlier
          where earlier.state in ('queued', 'running') and earlier.kind = jobs.kind
            and earlier.action = jobs.action
            and (earlier.created_at, earlier.id) < (jobs.created_at, jobs.id)
        )
      order by created_at, id limit 1 for update skip locked
    )
    returning id, claim, kind, action, filter, logs, max_entries as "maxEntries", created_at::text as "createdAt",
      state = 'running' as "isStarted"
  `.execute(db)
  return rows[0]
}

/**
 * Renews the claim on a running bulk job.
 *
 * @throws ClaimLostError if the job was cancelled or claimed by another replica
 */
export async function renewClaim(db: Db, { id, claim }: BulkClaim, leaseMs: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update bulk_jobs set lease_until = ${leaseEnd(leaseMs)}
    where id = ${id}::uuid and claim = ${claim}::uuid and state in ('queued', 'running')
  `.execute(db)
  if (numAffectedRows !== 1n) throw new ClaimLostError()
}

/** Ends the claim on a bulk job. Another replica can claim the job after `delayMs`. */
export async function releaseClaim(
  db: Db,
  { id, claim }: BulkClaim,
  delayMs: number,
): Promise<void> {
  await sql`
    update bulk_jobs set claim = null, lease_until = ${leaseEnd(delayMs)}
    where id = ${id}::uuid and claim = ${claim}::uuid
  `.execute(db)
}

const leaseEnd = (ms: number) => sql`now() + make_interval(secs => ${ms / 1000})`

/**
 * Starts a bulk job: selects its rows by its filter and stores their number. Cancels a job whose
 * filter selects more rows than `maxEntries`. Returns the state of the job.
 *
 * @throws ClaimLostError if the job was cancelled or claimed by another replica
 */
export async function beginBulkJob(tx: Tx, job: ClaimedJob): Promise<'running' | 'cancelled'> {
  const { id, claim, filter, maxEntries } = job
  const counted = maxEntries === null ? 0 : await countSelectedRows(tx, job)
  const isCancelled = maxEntries !== null && counted > maxEntries
  if (isCancelled) {
    const { numAffectedRows } = await sql`
      update bulk_jobs
      set state = 'cancelled', started_at = now(), finished_at = now(), total = ${counted},
        claim = null, lease_until = null
      where id = ${id}::uuid and claim = ${claim}::uuid and state = 'queued'
    `.execute(tx)
    if (numAffectedRows !== 1n) throw new ClaimLostError()
    return 'cancelled'
  }
  const total = filter === null ? null : await insertSelectedRows(tx, job)
  const { numAffectedRows } = await sql`
    update bulk_jobs
    set state = 'running', started_at = now(), total = coalesce(${total}::integer, total)
    where id = ${id}::uuid and claim = ${claim}::uuid and state = 'queued'
  `.execute(tx)
  if (numAffectedRows !== 1n) throw new ClaimLostError()
  return 'running'
}

/** Marks a bulk job as done, unless the job was cancelled or claimed by another replica. */
export async function endBulkJob(db: Db, { id, claim }: BulkClaim): Promise<void> {
  await sql`
    update bulk_jobs set state = 'done', finished_at = now(), claim = null, lease_until = null
    where id = ${id}::uuid and claim = ${claim}::uuid and state = 'running'
  `.execute(db)
}
