import type { Bus } from '@posthorn/bus'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import type { AccountJobAction, OutboxJobAction } from '@posthorn/contracts/schemas/job'
import type { Db, SettingsCache, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { TaskGroup } from '@posthorn/flow'
import type { TokenCache } from '../access/tokens.ts'
import { announceRemoval, removeAccount } from '../accounts/remove-account.ts'
import { callWorker } from '../http/call-worker.ts'
import { changeSubmission, type SubmissionChange } from '../http/change-submission.ts'
import {
  accountNotFound,
  assertNotPaused,
  flushAccount,
  lockAccount,
  updateAccount,
} from '../store/accounts/accounts.ts'
import type { ClaimedJob } from '../store/jobs/bulk-claims.ts'

export interface ActionDeps {
  db: Db
  bus: Bus
  tasks: TaskGroup
  tokens: TokenCache
  settings: SettingsCache
}

interface ActionBase {
  /** Number of rows of a bulk job per second whose action starts. */
  readonly perSecond: number
}

/**
 * Action on a row of a bulk job that only changes the database. The action and its result commit
 * together. Returns what to do after the commit.
 */
export interface StoredAction extends ActionBase {
  readonly isStored: true
  readonly run: (tx: Tx, rowId: string) => Promise<() => void>
}

/**
 * Action on a row of a bulk job that sends a command to another process. A crash between the
 * command and the record of its result repeats the command (`isRepeated`).
 */
export interface SentAction extends ActionBase {
  readonly isStored: false
  readonly run: (rowId: string, call: { signal: AbortSignal; isRepeated: boolean }) => Promise<void>
}

export type RowAction = StoredAction | SentAction

/**
 * Rows per second of bulk jobs whose action restarts sessions or starts a sync. This is half of the
 * default rate of logins at one host (SVC_LOGINS_PER_SECOND, 50). Restarted sessions then log in
 * without a queue, and logins of other accounts are not delayed.
 */
const sessionsPerSecond = 25
/**
 * Rows per second of a bulk job that flushes accounts. A flush restarts the session and searches
 * all mailboxes of the account.
 */
const flushesPerSecond = 10
/**
 * Rows per second of a bulk job that deletes accounts. A deletion removes the mailbox indexes,
 * tokens and templates of the account.
 */
const deletionsPerSecond = 20
/**
 * Rows per second of a bulk job that changes submissions. Each change is one short statement of a
 * sender.
 */
const changesPerSecond = 100

/**
 * Timeout of a command that a bulk job sends to a worker or sender. A worker that does not respond
 * delays a row by this time.
 */
const commandTimeoutMs = 5_000

/** Returns the action of a bulk job on one of its rows. */
export function rowAction(deps: ActionDeps, { kind, action, logs }: ClaimedJob): RowAction {
  return kind === 'accounts'
    ? accountActions(deps, logs ?? false)[action as AccountJobAction]
    : outboxAction(deps, action as OutboxJobAction)
}

/** Actions of bulk jobs on an account, with the same effects as the operations of the API. */
function accountActions(
  deps: ActionDeps,
  logs: boolean,
): Readonly<Record<AccountJobAction, RowAction>> {
  const { db, bus, tasks, settings } = deps
  const invalidate = (id: string) => () => tasks.run(bus.invalidate({ topic: 'accounts', id }))
  return {
    reconnect: stored(sessionsPerSecond, async (tx, account) => {
      await assertNotPaused(tx, account)
      await updateAccount(tx, account, {})
      return invalidate(account)
    }),
    flush: stored(flushesPerSecond, async (tx, account) => {
      await assertNotPaused(tx, account)
      await flushAccount(tx, account, { notifyFrom: new Date() })
      return invalidate(account)
    }),
    logs: stored(sessionsPerSecond, async (tx, account) => {
      const row = await lockAccount(tx, account)
      if (!row) throw accountNotFound()
      if (row.logs === logs) return () => undefined
      await updateAccount(tx, account, { logs })
      return invalidate(account)
    }),
    delete: stored(deletionsPerSecond, async (tx, account) => {
      const { serviceUrl = null } = await settings.get()
      const events = await removeAccount(tx, account, serviceUrl)
      return () => announceRemoval(deps, account, events)
    }),
    sync: sent(sessionsPerSecond, async (account, { signal }) => {
      await assertNotPaused(db, account)
      const call = { params: { account }, headers: {}, signal }
      const worker = { db, bus, timeoutMs: commandTimeoutMs }
      await callWorker(worker, call, [syncAccount, { account }])
    }),
  }
}

const commandOf = {
  hold: 'hold',
  release: 'release',
  send: 'send',
  cancel: 'delete',
} as const satisfies Record<OutboxJobAction, SubmissionChange['action']>

/** Action of a bulk job on a submission, with the same effects as the operation of the API. */
function outboxAction({ bus }: ActionDeps, name: OutboxJobAction): RowAction {
  const action = commandOf[name]
  return sent(changesPerSecond, async (queueId, { signal, isRepeated }) => {
    const limits = { timeoutMs: commandTimeoutMs, signal }
    try {
      await changeSubmission(bus, { queueId, action }, limits)
    } catch (error) {
      // An earlier command for this row may have ended the submission without a record of its
      // result. A hold never ends a submission.
      const isDeleted = error instanceof AppError && error.kind === 'not-found'
      if (!(name !== 'hold' && isRepeated && isDeleted)) throw error
    }
  })
}

function stored(perSecond: number, run: StoredAction['run']): StoredAction {
  return { isStored: true, perSecond, run }
}

function sent(perSecond: number, run: SentAction['run']): SentAction {
  return { isStored: false, perSecond, run }
}
