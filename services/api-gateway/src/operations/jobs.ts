import { fieldError } from '@posthorn/contracts/describe-error'
import { operations } from '@posthorn/contracts/operations'
import type {
  AccountJobAction,
  AccountJobFilter,
  AccountJobRequest,
  OutboxJobAction,
  OutboxJobFilter,
  OutboxJobRequest,
} from '@posthorn/contracts/schemas/job'
import { validationError } from '@posthorn/contracts/validate'
import type { BulkJobs, Db } from '@posthorn/db'
import { handle, type OperationHandler } from '../http/handle.ts'
import {
  type BulkJobRow,
  cancelBulkJob,
  getBulkJob,
  insertBulkJob,
  listBulkJobs,
} from '../store/jobs/bulk-jobs.ts'
import { inTransaction } from '../store/transaction.ts'

/** Actions of bulk jobs that delete the selected accounts or submissions. */
const deleting: ReadonlySet<BulkJobs['action']> = new Set(['delete', 'cancel'])

/** Operations on bulk jobs. Replicas of api-gateway find new jobs by polling. */
export function jobHandlers({ db }: { db: Db }): OperationHandler[] {
  return [
    handle(operations.createAccountJob, async ({ body }) => {
      if ((body.action === 'logs') !== (body.logs !== undefined))
        throw validationError([
          fieldError('logs', 'is required for the action "logs" and not allowed for others'),
        ])
      return describeAccountJob(await createJob(db, 'accounts', body))
    }),
    handle(operations.listAccountJobs, async ({ query }) => {
      const { rows, ...counts } = await listBulkJobs(db, 'accounts', query)
      return { ...counts, jobs: rows.map(describeAccountJob) }
    }),
    handle(operations.getAccountJob, async ({ params: { job } }) =>
      describeAccountJob(await getBulkJob(db, 'accounts', job)),
    ),
    handle(operations.cancelAccountJob, async ({ params: { job } }) =>
      describeAccountJob(await cancelBulkJob(db, 'accounts', job)),
    ),
    handle(operations.createOutboxJob, async ({ body }) =>
      describeOutboxJob(await createJob(db, 'outbox', body)),
    ),
    handle(operations.listOutboxJobs, async ({ query }) => {
      const { rows, ...counts } = await listBulkJobs(db, 'outbox', query)
      return { ...counts, jobs: rows.map(describeOutboxJob) }
    }),
    handle(operations.getOutboxJob, async ({ params: { job } }) =>
      describeOutboxJob(await getBulkJob(db, 'outbox', job)),
    ),
    handle(operations.cancelOutboxJob, async ({ params: { job } }) =>
      describeOutboxJob(await cancelBulkJob(db, 'outbox', job)),
    ),
  ]
}

/**
 * Stores a bulk job after the checks that concern several members of the request.
 *
 * @throws AppError `invalid` with `fields`
 */
function createJob(
  db: Db,
  kind: BulkJobs['kind'],
  request: AccountJobRequest | OutboxJobRequest,
): Promise<BulkJobRow> {
  const { action, filter, maxEntries = null, confirm = false } = request
  assertSelection(request)
  const ids = request.ids === undefined ? null : [...new Set(request.ids)]
  if (deleting.has(action) && ids?.length !== 1 && !confirm)
    throw validationError([
      fieldError('confirm', `must be true for the action "${action}" on more than one entry`),
    ])
  const logs = 'logs' in request ? (request.logs ?? null) : null
  const job = { kind, action, filter: filter ?? null, maxEntries, logs, ids }
  return inTransaction(db, (tx) => insertBulkJob(tx, job))
}

function assertSelection({
  filter,
  ids,
  maxEntries,
}: Pick<AccountJobRequest | OutboxJobRequest, 'filter' | 'ids' | 'maxEntries'>): void {
  if ((filter === undefined) === (ids === undefined))
    throw validationError([fieldError('filter', 'or "ids" is required, not both')])
  if (maxEntries !== undefined && filter === undefined)
    throw validationError([fieldError('maxEntries', 'is only allowed with "filter"')])
}

/** Bulk job on accounts as the API represents it. */
function describeAccountJob(row: BulkJobRow) {
  return {
    ...describeProgress(row),
    action: row.action as AccountJobAction,
    filter: row.filter as AccountJobFilter | null,
    logs: row.logs,
  }
}

/** Bulk job on submissions as the API represents it. */
function describeOutboxJob(row: BulkJobRow) {
  return {
    ...describeProgress(row),
    action: row.action as OutboxJobAction,
    filter: row.filter as OutboxJobFilter | null,
  }
}

function describeProgress(row: BulkJobRow) {
  const { id, state, maxEntries, total, done, failed, skipped, errors } = row
  const { createdAt, startedAt, finishedAt } = row
  const counts = { maxEntries, total, done, failed, skipped }
  return {
    id,
    state,
    ...counts,
    errors,
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
  }
}
