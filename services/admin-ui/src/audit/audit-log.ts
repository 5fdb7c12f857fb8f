import { randomBytes } from 'node:crypto'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import {
  type Backoff,
  backoff,
  type Clock,
  retryUntil,
  settleWithin,
  TaskGroup,
} from '@posthorn/flow'
import { describeProblem } from '@posthorn/http'
import type { Logger, Metrics } from '@posthorn/telemetry'
import { insertAuditRow, type NewAuditRow } from '../store/audit.ts'
import { plainText } from './plain-text.ts'

/** Person and session of an audited action. A `SignedIn` is an actor. */
export interface AuditActor {
  readonly person: { readonly id: string; readonly email: string; readonly role: string }
  readonly session: { readonly id: string }
}

/** Action for the audit log, without secrets and without values of a request body. */
export interface AuditEntry {
  /** Person who acts. Absent before a sign-in. */
  signedIn?: AuditActor
  /** Email address of an action without a session, such as a failed sign-in. */
  email?: string
  /** Network address of the client. */
  address: string
  /** Id of an operation in the contracts, or name of an action of admin-ui. */
  operation: string
  method: string
  /** Path without query and without tokens. */
  path: string
  account?: string
  /** Names of the changed members of the request body. */
  keys?: readonly string[]
  /** Reason that the person has given, such as the reason for reading mail. */
  reason?: string
}

/** Outcome of an action: `done` or an error code, and the status of the response, if any. */
export interface AuditOutcome {
  status?: number
  outcome: string
}

/** Action whose first row is committed. */
export interface RecordedAttempt {
  /**
   * Inserts the outcome row. Never rejects: if the insert fails, it is repeated in the background.
   */
  finish(outcome: AuditOutcome): Promise<void>
}

/**
 * Inserts the row before a change, runs the change, inserts the outcome row.
 *
 * @throws AppError `unavailable` if the first row cannot be inserted; the error of the change
 */
export type AuditChange = <T>(entry: AuditEntry, change: () => Promise<T>) => Promise<T>
/**
 * Inserts one outcome row for something that has happened, such as a sign-in. Never rejects: if the
 * insert fails, it is repeated in the background.
 */
export type AuditResult = (entry: AuditEntry, outcome: string) => Promise<void>

export interface AuditLog {
  change: AuditChange
  result: AuditResult
}

/** Audit log whose outcomes may be recorded long after the first row, as for forwarded calls. */
export interface AttemptLog extends AuditLog, AsyncDisposable {
  /**
   * Inserts the row before an action.
   *
   * @throws AppError `unavailable` if the row cannot be inserted
   */
  attempt(entry: AuditEntry): Promise<RecordedAttempt>
}

export interface AuditLogOptions {
  log: Pick<Logger, 'warn' | 'error'>
  /** Registers the metrics of the audit log. Absent in jobs, which have no metrics. */
  metrics?: Pick<Metrics, 'counter'>
  clock?: Clock
  /** Delays between the attempts to insert an outcome row. */
  delayMs?: Backoff | number
}

/** Maximum attempts to insert an outcome row: about ten minutes with the default delays. */
const maxAttempts = 25
const defaultDelayMs = backoff({ baseMs: 250, maxMs: 30_000, jitter: 0.2 })
/**
 * Maximum outcome rows that wait for Postgres. Without Postgres no new change starts, so only calls
 * in flight at the start of an outage wait.
 */
const maxWaiting = 10_000
/** Time that a shutdown waits for outcome rows, within the 10 s of the whole shutdown. */
const drainMs = 3_000

/** Creates the audit log. Disposal waits a few seconds for outcome rows that are not inserted. */
export function createAuditLog(db: Db, options: AuditLogOptions): AttemptLog {
  const { log, metrics, clock = Date.now, delayMs = defaultDelayMs } = options
  const lost = metrics?.counter({
    name: 'admin_audit_lost_total',
    help: 'Outcomes that are missing in the audit log, because no insert has succeeded',
  })
  const waiting = new TaskGroup()
  const stop = new AbortController()
  const insertLater = (row: NewAuditRow) => {
    const onLost = (err: unknown) => {
      lost?.inc()
      log.error({ err, request: row.request, outcome: row.outcome }, 'audit outcome is lost')
    }
    if (waiting.size >= maxWaiting) return onLost(undefined)
    const retries = { delayMs, maxAttempts, signal: stop.signal }
    waiting.run(retryUntil(() => insertAuditRow(db, row), retries).catch(onLost))
  }
  const insertOutcome = async (row: NewAuditRow) => {
    try {
      await insertAuditRow(db, row)
    } catch (err) {
      log.warn({ err, request: row.request }, 'audit outcome not recorded, retrying')
      insertLater(row)
    }
  }
  const attempt = async (entry: AuditEntry): Promise<RecordedAttempt> => {
    const row = newRow(entry, 'attempt', clock())
    await insertAuditRow(db, row).catch((cause: unknown) => {
      throw notRecorded(cause)
    })
    return {
      finish({ status, outcome }) {
        const ending = { ...newRow(entry, 'outcome', clock()), request: row.id }
        return insertOutcome({
          ...ending,
          status: status ?? null,
          outcome: plainText(outcome, 100),
        })
      },
    }
  }
  return {
    attempt,
    async change(entry, change) {
      const recorded = await attempt(entry)
      try {
        const result = await change()
        await recorded.finish({ status: 200, outcome: 'done' })
        return result
      } catch (error) {
        await recorded.finish(outcomeOfError(error))
        throw error
      }
    },
    result: (entry, outcome) =>
      insertOutcome({ ...newRow(entry, 'outcome', clock()), outcome: plainText(outcome, 100) }),
    async [Symbol.asyncDispose]() {
      await settleWithin(waiting.drain(), drainMs)
      stop.abort()
      await waiting.drain()
    },
  }
}

/** Outcome of an action that failed: the error code, else the name of the HTTP status. */
export function outcomeOfError(error: unknown): AuditOutcome {
  const { status, body } = describeProblem(error)
  return { status, outcome: body.code ?? body.error }
}

function newRow(entry: AuditEntry, phase: 'attempt' | 'outcome', now: number): NewAuditRow {
  const { signedIn, email, address, operation, method, path, account, keys = [], reason } = entry
  const id = newAuditId(now)
  return {
    id,
    at: new Date(now),
    request: id,
    phase,
    person: signedIn?.person.id ?? null,
    email: textOrNull(signedIn?.person.email ?? email, 320),
    role: signedIn?.person.role ?? null,
    session: signedIn?.session.id ?? null,
    address,
    operation,
    method,
    path: plainText(path, 2_000),
    account: textOrNull(account, 256),
    keys: [...keys],
    reason: textOrNull(reason, 1_000),
    status: null,
    outcome: null,
  }
}

function textOrNull(text: string | undefined, maxLength: number): string | null {
  return text === undefined ? null : plainText(text, maxLength)
}

/** Creates an id that sorts by time: 11 hex digits of the milliseconds, then 8 random bytes. */
function newAuditId(now: number): string {
  return now.toString(16).padStart(11, '0') + randomBytes(8).toString('hex')
}

function notRecorded(cause: unknown): AppError {
  const message = 'The audit log cannot be written, so nothing was changed. Retry later'
  return new AppError('unavailable', message, { cause })
}
