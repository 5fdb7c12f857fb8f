import { randomBytes } from 'node:crypto'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Clock } from '@posthorn/flow'
import { describeProblem } from '@posthorn/http'
import { insertAuditRow, type NewAuditRow } from '../store/audit.ts'
import { OutcomeRows, type OutcomeRowsOptions } from './outcome-rows.ts'
import { plainText } from './plain-text.ts'

/** Person and session of an audited action. A `SignedIn` is an actor. */
export interface AuditActor {
  readonly person: { readonly id: string; readonly email: string; readonly role: string }
  readonly session: { readonly id: string }
}

/** Action for the audit log, without secrets and without values of a request body. */
export interface AuditEntry {
  /** Person of the action and their session. Absent before a sign-in. */
  signedIn?: AuditActor
  /** Email address that was entered for an action without a session, such as a failed sign-in. */
  email?: string
  /** Network address of the client that requested the action. */
  address: string
  /** Id of an operation in the contracts, or name of an action of admin-ui. */
  operation: string
  method: string
  /** Path of the audited request without query and without tokens. */
  path: string
  account?: string
  /** Names of the changed members of the request body. */
  keys?: readonly string[]
  /** Reason that the person has given for the action, such as the reason for reading mail. */
  reason?: string
}

/**
 * Outcome of an audited action: `done` or an error code, and the HTTP status of the response, if
 * any.
 */
export interface AuditOutcome {
  status?: number
  outcome: string
}

/** Audited action whose first row in the audit log is committed. */
export interface RecordedAttempt {
  /**
   * Inserts the row with the outcome of the action into the audit log. Never rejects: a failed
   * insert is repeated in the background.
   */
  finish(outcome: AuditOutcome): Promise<void>
}

/**
 * Runs a change of a person. Inserts a row into the audit log before the change, and a row with the
 * outcome after the change.
 *
 * @throws AppError `unavailable` if the first row cannot be inserted; the error of the change
 */
export type AuditChange = <T>(entry: AuditEntry, change: () => Promise<T>) => Promise<T>
/**
 * Inserts one row into the audit log for an action that has ended, such as a sign-in. Never
 * rejects: a failed insert is repeated in the background.
 */
export type AuditResult = (entry: AuditEntry, outcome: string) => Promise<void>

export interface AuditLog {
  change: AuditChange
  result: AuditResult
}

/**
 * Audit log for forwarded calls, whose outcomes may be recorded long after the first row of the
 * call.
 */
export interface AttemptLog extends AuditLog, AsyncDisposable {
  /**
   * Inserts the first row of an action into the audit log, before the action starts.
   *
   * @throws AppError `unavailable` if the row cannot be inserted
   */
  attempt(entry: AuditEntry): Promise<RecordedAttempt>
}

export interface AuditLogOptions extends OutcomeRowsOptions {
  clock?: Clock
}

/**
 * Creates the audit log. Its disposal waits a few seconds for outcome rows that are not inserted
 * yet.
 */
export function createAuditLog(db: Db, options: AuditLogOptions): AttemptLog {
  const { clock = Date.now } = options
  const outcomes = new OutcomeRows(db, options)
  const attempt = async (entry: AuditEntry): Promise<RecordedAttempt> => {
    const row = newRow(entry, 'attempt', clock())
    await insertAuditRow(db, row).catch((cause: unknown) => {
      throw notRecorded(cause)
    })
    return {
      finish({ status, outcome }) {
        const ending = { ...newRow(entry, 'outcome', clock()), request: row.id }
        const result = { status: status ?? null, outcome: plainText(outcome, 100) }
        return outcomes.insert({ ...ending, ...result })
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
      outcomes.insert({ ...newRow(entry, 'outcome', clock()), outcome: plainText(outcome, 100) }),
    [Symbol.asyncDispose]: () => outcomes[Symbol.asyncDispose](),
  }
}

/**
 * Outcome of a failed action for the audit log: the error code, else the name of the HTTP status.
 */
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

/**
 * Creates the id of an audit log row. Ids sort by time: 11 hex digits of the milliseconds, then 8
 * random bytes.
 */
function newAuditId(now: number): string {
  return now.toString(16).padStart(11, '0') + randomBytes(8).toString('hex')
}

function notRecorded(cause: unknown): AppError {
  const message = 'The audit log cannot be written, so nothing was changed. Retry later'
  return new AppError('unavailable', message, { cause })
}
