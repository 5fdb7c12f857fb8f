import { asUnavailable, type Db, sqlState } from '@posthorn/db'
import { AppError, toAppError, UnavailableError } from '@posthorn/errors'
import { RateLimiter } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { ClaimedJob } from '../store/jobs/bulk-claims.ts'
import {
  ClaimLostError,
  listOpenRows,
  type OpenRow,
  recordRow,
  type RowOutcome,
  startRow,
} from '../store/jobs/bulk-rows.ts'
import { isStillSelected } from '../store/jobs/bulk-selections.ts'
import { inTransaction } from '../store/transaction.ts'
import type { RowAction, SentAction, StoredAction } from './row-actions.ts'

/** Rows of a bulk job that are read at a time. */
const batchSize = 100
/**
 * Number of commands of a bulk job that run concurrently, so that a worker that does not respond
 * does not hold up the accounts of other workers. Actions in the database run one by one.
 */
const maxCommands = 8
/** Maximum length of an error text that is stored for a row of a bulk job. */
const maxErrorLength = 500

export interface RowRun {
  db: Db
  /** Connection to RabbitMQ, by which bulk jobs send commands. `up` is true while connected. */
  bus: { readonly up: boolean }
  log: Logger
  job: ClaimedJob
  action: RowAction
  /** Signal that is aborted if the claim on the bulk job is lost, or at a shutdown. */
  signal: AbortSignal
  /** Called with the result of the action on each row of a bulk job. */
  onOutcome: (state: RowOutcome['state']) => void
}

/**
 * Runs the action of a bulk job on each of its rows without a result, in order and at the pace of
 * the action. A failed action is recorded. If Postgres or RabbitMQ is unavailable, rejects, so that
 * the job continues later at the same row.
 *
 * @throws ClaimLostError if the job was cancelled or claimed by another replica
 */
export async function runRows(run: RowRun): Promise<void> {
  const { db, job, action } = run
  const pace = new RateLimiter({ perSecond: action.perSecond })
  for (;;) {
    const rows = await listOpenRows(db, job.id, batchSize)
    if (rows.length === 0) return
    const limit = action.isStored ? 1 : maxCommands
    await forEachRow(rows, { limit, signal: run.signal }, async (row, { ended, interrupted }) => {
      await pace.acquire(ended)
      const state = await (action.isStored
        ? runStored({ ...run, signal: interrupted }, action, row)
        : runSent({ ...run, signal: interrupted }, action, row))
      run.onOutcome(state)
    })
  }
}

/** Signals for the rows of a bulk job. */
interface RowSignals {
  /**
   * Signal that is aborted after the first error of a bulk job, so that waiting rows do not start.
   */
  ended: AbortSignal
  /**
   * Signal that is aborted at a shutdown or outage: running commands of the bulk job end, and are
   * repeated later. Not aborted by the cancellation of the bulk job: running commands are completed
   * and counted.
   */
  interrupted: AbortSignal
}

/**
 * Runs `work` for each row of a bulk job, `limit` rows at a time. After the first error, starts no
 * further row, waits for the running rows and rejects with this error.
 */
async function forEachRow(
  rows: readonly OpenRow[],
  { limit, signal }: { limit: number; signal: AbortSignal },
  work: (row: OpenRow, signals: RowSignals) => Promise<void>,
): Promise<void> {
  const failure = new AbortController()
  const ended = AbortSignal.any([signal, failure.signal])
  const interruption = new AbortController()
  const interrupt = () => {
    if (!(ended.reason instanceof ClaimLostError)) interruption.abort(ended.reason)
  }
  ended.addEventListener('abort', interrupt, { once: true })
  const signals = { ended, interrupted: interruption.signal }
  const waiting = rows.values()
  const lane = async () => {
    for (const row of waiting) {
      ended.throwIfAborted()
      await work(row, signals)
    }
  }
  const lanes = Array.from({ length: limit }, () =>
    lane().catch((error: unknown) => failure.abort(error)),
  )
  await Promise.all(lanes)
  ended.throwIfAborted()
}

/** SQLSTATE (Postgres error code) of a statement that exceeded the statement timeout. */
const queryCanceled = '57014'

type State = RowOutcome['state']

/**
 * Runs the action on a row of a bulk job in the transaction that also records the result of the
 * action.
 */
async function runStored(run: RowRun, action: StoredAction, row: OpenRow): Promise<State> {
  const { db, job } = run
  try {
    const { state, announce } = await inTransaction(db, async (tx) => {
      const isSelected = await isStillSelected(tx, job, row.rowId)
      const done = isSelected ? await action.run(tx, row.rowId) : undefined
      const outcome = { state: done ? ('done' as const) : ('skipped' as const) }
      await recordRow(tx, job, { row, outcome })
      return { ...outcome, announce: done }
    })
    announce?.()
    return state
  } catch (error) {
    return await recordFailure(run, row, error)
  }
}

/**
 * Sends the command of a bulk job for one row and records the result. The start is recorded first.
 * The next replica therefore knows that a command without a result may have been executed.
 */
async function runSent(run: RowRun, action: SentAction, row: OpenRow): Promise<State> {
  const { db, bus, job, signal } = run
  if (!bus.up) throw new UnavailableError('RabbitMQ is unavailable')
  const { rowId, isStarted: isRepeated } = row
  // A command that was executed may have changed the account or submission, so that the filter of
  // the bulk job no longer matches.
  if (!isRepeated && !(await isStillSelected(db, job, rowId)))
    return await record(run, row, { state: 'skipped' })
  await startRow(db, job, row)
  try {
    await action.run(rowId, { signal, isRepeated })
  } catch (error) {
    return await recordFailure(run, row, error)
  }
  return await record(run, row, { state: 'done', hasEffect: true })
}

/**
 * Records the failed action of a bulk job on a row. Rejects with errors after which the bulk job
 * continues later.
 */
async function recordFailure(run: RowRun, row: OpenRow, error: unknown): Promise<State> {
  const { bus, log, job, signal, action } = run
  // The SQL statement for this row of a bulk job takes too long, and would again. Other rows of the
  // job must not wait for this row.
  const isTooSlow = action.isStored && sqlState(error) === queryCanceled
  const isUnavailable = !isTooSlow && asUnavailable(error) instanceof UnavailableError
  const isOutage = isUnavailable || !(action.isStored || bus.up)
  if (error instanceof ClaimLostError || isOutage || signal.aborted) throw error
  if (!(error instanceof AppError))
    log.error({ err: error, job: job.id, sqlState: sqlState(error) }, 'action of a bulk job failed')
  const { code = null, message } = toAppError(error)
  const stored = { code, message: storable(message).slice(0, maxErrorLength) }
  return await record(run, row, { state: 'failed', error: stored, hasEffect: !action.isStored })
}

/** Replaces the NUL character in an error text, because Postgres cannot store NUL in a text. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

async function record({ db, job }: RowRun, row: OpenRow, outcome: RowOutcome): Promise<State> {
  await inTransaction(db, (tx) => recordRow(tx, job, { row, outcome }))
  return outcome.state
}
