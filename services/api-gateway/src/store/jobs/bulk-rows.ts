import { maxJobRows } from '@posthorn/contracts/schemas/job'
import { type Db, textArray, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sql } from 'kysely'
import { type Selection, selectedRows } from './bulk-selections.ts'

/** Claim of a replica on a bulk job. */
export interface BulkClaim {
  /** Id of the bulk job. */
  id: string
  /** Id of the claim, which no other replica and no later claim has. */
  claim: string
}

/** Row of a bulk job whose action has no recorded result. */
export interface OpenRow {
  position: number
  rowId: string
  /** True if a command of the row's action was sent before and its result was not recorded. */
  isStarted: boolean
}

/** Result of the action on one row of a bulk job. */
export interface RowOutcome {
  state: 'done' | 'failed' | 'skipped'
  error?: { code: string | null; message: string }
  /**
   * True if the result is recorded even if the bulk job was cancelled meanwhile, because the action
   * has taken effect.
   */
  hasEffect?: boolean
}

/** Error of a replica whose bulk job was cancelled or claimed by another replica. */
export class ClaimLostError extends AppError {
  override name = 'ClaimLostError'

  constructor() {
    super('stale', 'The job was cancelled or is run by another replica')
  }
}

/** Inserts the rows of a bulk job that were selected by their ids, without repeated ids. */
export async function insertRowIds(tx: Tx, job: string, ids: readonly string[]): Promise<void> {
  await sql`
    insert into bulk_job_rows (job, position, row_id)
    select ${job}::uuid, position, row_id
    from unnest(${textArray(ids)}::text[]) with ordinality as ids (row_id, position)
  `.execute(tx)
}

/** Number of the rows that the filter of a bulk job selects, at most `maxJobRows`. */
export async function countSelectedRows(tx: Tx, selection: Selection): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from (${selectedRows(selection)}) as matching limit ${maxJobRows}
    ) as selected
  `.execute(tx)
  return rows[0]?.count ?? 0
}

/**
 * Inserts the rows of a bulk job that its filter selects, at most `maxEntries`. Returns their
 * number.
 */
export async function insertSelectedRows(
  tx: Tx,
  job: Selection & { id: string; maxEntries: number | null },
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into bulk_job_rows (job, position, row_id)
    select ${job.id}::uuid, row_number() over (order by place, row_id), row_id from (
      select * from (${selectedRows(job)}) as matching
      order by place, row_id limit ${job.maxEntries ?? maxJobRows}
    ) as selected
  `.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Lists rows of a bulk job whose actions have no recorded result, in the order of the actions. */
export function listOpenRows(db: Db, job: string, limit: number): Promise<OpenRow[]> {
  return db
    .selectFrom('bulkJobRows')
    .select(['position', 'rowId', sql<boolean>`state = 'started'`.as('isStarted')])
    .where('job', '=', job)
    .where(sql<boolean>`state in ('waiting', 'started')`)
    .orderBy('position')
    .limit(limit)
    .execute()
}

/**
 * Records that the action on a row of a bulk job starts, before its command is sent.
 *
 * @throws ClaimLostError if the job was cancelled or claimed by another replica
 */
export async function startRow(db: Db, { id, claim }: BulkClaim, { position }: OpenRow) {
  const { numAffectedRows } = await sql`
    update bulk_job_rows rows set state = 'started' from bulk_jobs jobs
    where rows.job = ${id}::uuid and position = ${position} and rows.state in ('waiting', 'started')
      and jobs.id = rows.job and jobs.claim = ${claim}::uuid and jobs.state = 'running'
  `.execute(db)
  if (numAffectedRows !== 1n) throw new ClaimLostError()
}

/**
 * Records the result of the action on a row of a bulk job, and counts the result. If the record
 * fails, the transaction must be rolled back, and with it the action.
 *
 * @throws ClaimLostError if the job was cancelled or claimed by another replica
 */
export async function recordRow(
  tx: Tx,
  { id, claim }: BulkClaim,
  { row, outcome }: { row: OpenRow; outcome: RowOutcome },
): Promise<void> {
  const { state, error, hasEffect = false } = outcome
  const recorded = await sql`
    update bulk_job_rows set state = ${state}, error_code = ${error?.code ?? null},
      error = ${error?.message ?? null}
    where job = ${id}::uuid and position = ${row.position} and state in ('waiting', 'started')
  `.execute(tx)
  // Changes the row of the bulk job last, so that actions of the same job wait for each other only
  // while their transactions are committed.
  const counted = await sql`
    update bulk_jobs set ${sql.ref(state)} = ${sql.ref(state)} + 1
    where id = ${id}::uuid and claim = ${claim}::uuid
      and (state = 'running' or ${hasEffect}::boolean)
  `.execute(tx)
  if (recorded.numAffectedRows !== 1n || counted.numAffectedRows !== 1n) throw new ClaimLostError()
}
