import { randomUUID } from 'node:crypto'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type PeriodicTask, runPeriodically, TaskGroup } from '@posthorn/flow'
import type { Logger, Metrics } from '@posthorn/telemetry'
import {
  beginBulkJob,
  claimBulkJob,
  type ClaimedJob,
  endBulkJob,
  releaseClaim,
  renewClaim,
} from '../store/jobs/bulk-claims.ts'
import { countUnfinished } from '../store/jobs/bulk-jobs.ts'
import { ClaimLostError, type RowOutcome } from '../store/jobs/bulk-rows.ts'
import { inTransaction } from '../store/transaction.ts'
import { type ActionDeps, rowAction } from './row-actions.ts'
import { runRows } from './run-rows.ts'

/** Interval at which a replica looks for bulk jobs that no replica runs. */
const pollMs = 1_000
/** Time after which another replica continues a bulk job whose replica does not renew its claim. */
const leaseMs = 15_000
const renewMs = 5_000
/** Delay before a bulk job continues that was interrupted by an outage. */
const retryMs = 5_000

export interface BulkJobDeps extends ActionDeps {
  /** Postgres pool with a longer statement timeout, for selecting the many rows of a bulk job. */
  outbox: Db
  log: Logger
  metrics: Metrics
}

/**
 * Runs the bulk jobs that API clients request. Replicas of api-gateway share the jobs by claims: if
 * a replica ends, another replica continues its jobs after the last recorded row. Disposal stops
 * between two rows and ends the claims, so that another replica continues immediately.
 */
export function startBulkJobs(deps: BulkJobDeps): AsyncDisposable {
  const { db, bus, log } = deps
  const onOutcome = registerMetrics(deps)
  const running = new TaskGroup()
  const stop = new AbortController()
  const poll: PeriodicTask = runPeriodically(
    { everyMs: pollMs, log, name: 'bulk-jobs' },
    async () => {
      for (;;) {
        if (stop.signal.aborted) return
        const job = await claimBulkJob(db, randomUUID(), { leaseMs, canSend: bus.up })
        if (!job) return
        // The end of a bulk job may permit the next job with the same action.
        running.run(runClaimed({ ...deps, onOutcome }, job, stop.signal).finally(() => poll.wake()))
      }
    },
  )
  return {
    async [Symbol.asyncDispose]() {
      stop.abort(new AppError('unavailable', 'The service is stopping'))
      await poll[Symbol.asyncDispose]()
      await running.drain()
    },
  }
}

type OnOutcome = (job: ClaimedJob, state: RowOutcome['state']) => void

function registerMetrics({ db, metrics }: BulkJobDeps): OnOutcome {
  const rows = metrics.counter({
    name: 'bulk_job_rows_total',
    help: 'Accounts and submissions that bulk jobs have processed, by action and result.',
    labels: ['kind', 'action', 'result'],
  })
  metrics.gauge({
    name: 'bulk_jobs_unfinished',
    help: 'Bulk jobs on accounts and the outbox that have not ended.',
    collect: () => countUnfinished(db),
  })
  return ({ kind, action }, result) => rows.inc({ kind, action, result })
}

/** Runs a claimed bulk job until it ends, is cancelled or interrupted. Never rejects. */
async function runClaimed(
  deps: BulkJobDeps & { onOutcome: OnOutcome },
  job: ClaimedJob,
  stopping: AbortSignal,
): Promise<void> {
  const { db, outbox, bus, log, onOutcome } = deps
  const lost = new AbortController()
  const signal = AbortSignal.any([stopping, lost.signal])
  const { id, kind, action } = job
  const fields = { job: id, kind, action }
  try {
    await using _lease = holdClaim(deps, job, lost)
    log.info(fields, 'bulk job claimed')
    const state = job.isStarted
      ? 'running'
      : await inTransaction(outbox, (tx) => beginBulkJob(tx, job))
    if (state === 'cancelled')
      return log.info(fields, 'bulk job cancelled, its filter selects too many rows')
    const rows = { db, bus, log, job, action: rowAction(deps, job), signal }
    await runRows({ ...rows, onOutcome: (state) => onOutcome(job, state) })
    await endBulkJob(db, job)
    log.info(fields, 'bulk job ended')
  } catch (err) {
    const isEnded = stopping.aborted || err instanceof ClaimLostError
    if (isEnded) log.info(fields, 'bulk job stopped')
    else log.warn({ ...fields, err }, 'bulk job interrupted, will continue')
    await releaseClaim(db, job, isEnded ? 0 : retryMs).catch((error: unknown) =>
      log.debug({ ...fields, err: error }, 'claim on a bulk job not released'),
    )
  }
}

/**
 * Renews the claim on a bulk job until the result is disposed. Aborts `lost` if the claim was lost.
 */
function holdClaim({ db, log }: BulkJobDeps, job: ClaimedJob, lost: AbortController) {
  return runPeriodically({ everyMs: renewMs, log, name: 'bulk-job-claim' }, async () => {
    await renewClaim(db, job, leaseMs).catch((error: unknown) => {
      if (!(error instanceof ClaimLostError)) throw error
      lost.abort(error)
    })
  })
}
