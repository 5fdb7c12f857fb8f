import { randomUUID } from 'node:crypto'
import {
  type BulkJobs,
  type Db,
  type Page,
  type PageRequest,
  readPage,
  type Tx,
} from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Selectable, sql } from 'kysely'
import { insertRowIds } from './bulk-rows.ts'

/** Maximum number of unfinished bulk jobs. */
const maxUnfinished = 10
/** Number of failed rows of a bulk job that the API shows. */
const shownErrors = 10
const keepDays = 7

type Kind = BulkJobs['kind']

/** Failed row of a bulk job. */
export interface RowError {
  id: string
  code: string | null
  message: string
}

/** SQL expression: first failed rows of a bulk job, as a subquery of a statement about jobs. */
const firstErrors = sql<RowError[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('id', row_id, 'code', error_code, 'message', error)
    order by position), '[]')
  from (
    select * from bulk_job_rows rows where rows.job = bulk_jobs.id and rows.state = 'failed'
    order by position limit ${sql.lit(shownErrors)}
  ) as failed
)`

function jobs(db: Db | Tx, kind: Kind) {
  return db
    .selectFrom('bulkJobs')
    .select([
      'id',
      'action',
      'filter',
      'maxEntries',
      'logs',
      'state',
      'total',
      'done',
      'failed',
      'skipped',
    ])
    .select(['createdAt', 'startedAt', 'finishedAt', firstErrors.as('errors')])
    .where('kind', '=', kind)
}
export type BulkJobRow = Awaited<ReturnType<typeof getBulkJob>>

export interface NewBulkJob extends Pick<
  Selectable<BulkJobs>,
  'kind' | 'action' | 'filter' | 'maxEntries' | 'logs'
> {
  /** Ids of the rows of the bulk job, if they are not selected by a filter. */
  ids: readonly string[] | null
}

/**
 * Stores a bulk job, which a replica finds by polling. Creations run one after the other, so that
 * they cannot exceed the limit together.
 *
 * @throws AppError `rate-limited` if too many bulk jobs are unfinished
 */
export async function insertBulkJob(tx: Tx, job: NewBulkJob): Promise<BulkJobRow> {
  const { kind, action, filter, maxEntries, logs, ids } = job
  await sql`select pg_advisory_xact_lock(hashtext('posthorn:bulk-jobs'))`.execute(tx)
  const unfinished = await countUnfinished(tx)
  if (unfinished >= maxUnfinished)
    throw new AppError(
      'rate-limited',
      `${unfinished} jobs on accounts and the outbox are unfinished, wait for one to end or cancel one`,
    )
  const id = randomUUID()
  const selection = { filter: filter && JSON.stringify(filter), maxEntries }
  await tx
    .insertInto('bulkJobs')
    .values({ id, kind, action, ...selection, logs, total: ids && ids.length })
    .execute()
  if (ids) await insertRowIds(tx, id, ids)
  return getBulkJob(tx, kind, id)
}

/** Number of bulk jobs that have not ended. */
export async function countUnfinished(db: Db | Tx): Promise<number> {
  const { count } = await db
    .selectFrom('bulkJobs')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where(sql<boolean>`state in ('queued', 'running')`)
    .executeTakeFirstOrThrow()
  return count
}

/** Gets a bulk job with its progress. @throws AppError `not-found` */
export function getBulkJob(db: Db | Tx, kind: Kind, id: string) {
  return jobs(db, kind)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(
      () => new AppError('not-found', 'The job was not found', { code: 'NotFound' }),
    )
}

/** One page of the bulk jobs on accounts or on the outbox, newest first. */
export function listBulkJobs(db: Db, kind: Kind, page: PageRequest): Promise<Page<BulkJobRow>> {
  return readPage(jobs(db, kind).orderBy('createdAt', 'desc').orderBy('id', 'desc'), page)
}

/**
 * Cancels a bulk job. The replica that runs the job starts no further action.
 *
 * @throws AppError `not-found`, or `invalid` if all actions of the job have ended
 */
export async function cancelBulkJob(db: Db, kind: Kind, id: string): Promise<BulkJobRow> {
  await db
    .updateTable('bulkJobs')
    .set({ state: 'cancelled', finishedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where('state', 'in', ['queued', 'running'])
    .execute()
  const job = await getBulkJob(db, kind, id)
  if (job.state === 'cancelled') return job
  throw new AppError('invalid', 'The job has ended, only an unfinished job can be cancelled', {
    code: 'UnsupportedOperation',
  })
}

/**
 * Deletes bulk jobs that ended more than 7 days ago. Deletes the rows that did not fail 5 minutes
 * after the end of their job. Until then, a replica may record the last rows of a cancelled job.
 */
export async function deleteEndedBulkJobs(db: Db): Promise<void> {
  await sql`
    delete from bulk_jobs where finished_at < now() - make_interval(days => ${keepDays})
  `.execute(db)
  await sql`
    delete from bulk_job_rows rows using bulk_jobs jobs
    where jobs.id = rows.job and jobs.finished_at < now() - interval '5 minutes'
      and rows.state <> 'failed'
  `.execute(db)
}
