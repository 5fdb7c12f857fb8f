import type { MailboxStatus } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { backoff } from '@posthorn/flow'
import type { MailboxRow } from '../../../../store/mailboxes.ts'
import { type MailboxRefusal, unknownPathRefusal } from '../../../account-driver.ts'
import { isNeverSynced, toEmptyMailbox } from '../changes/initial-sync.ts'
import type { SyncResult } from '../changes/apply-changes.ts'
import { syncMailbox, unchanged } from '../changes/mailbox-sync.ts'
import type { SyncContext } from '../context.ts'
import {
  isMailboxRefusal,
  isOpenedByOther,
  OutdatedConnectionError,
} from '../mailbox-list/second-connection.ts'
import { parkedError, recordLoss, staysParked } from '../mailbox-list/open-parked.ts'
import {
  findUnknownPath,
  selectionRules,
  selectMain,
  selectMonitored,
} from '../mailbox-list/selection.ts'
import { isUnfinished, needsSync } from '../sync-plan.ts'
import { listMailboxes, type ListSource, recheckRefused } from './list-check.ts'

export interface SyncPassResult {
  /** Rows of the mailboxes that the sync pass covered without a refusal by the server. */
  monitored: MailboxRow[]
  /** Main mailbox, which the sync connection watches after the sync pass. */
  main: MailboxRow | undefined
  /** True if another sync pass should follow soon, because further changes are likely. */
  unsettled: boolean
  /** True if the sync pass changed the stored mailbox list. */
  listChanged: boolean
  /** True if the sync connection shows outdated mailboxes and has to be replaced. */
  outdated: boolean
  refusal?: MailboxRefusal
}

export interface SyncPassContext extends SyncContext {
  readonly refusals: MailboxRefusals
}

/**
 * Runs a sync pass of the account: lists the mailboxes and syncs the mailboxes whose counters
 * differ, the main mailbox first. With `full`, flags are compared even if the server has no
 * mod-sequences.
 */
export async function runSyncPass(
  context: SyncPassContext,
  { full, source }: { full: boolean; source: ListSource },
): Promise<SyncPassResult> {
  const { signal, deps } = context
  const startedAt = performance.now()
  const { rows, statuses, unsettled, ...list } = await listMailboxes(context, { source })
  const { changed: listChanged, outdated } = list
  const rules = selectionRules(context)
  const selected = selectMonitored(rows, rules)
  const main = selectMain(selected, rules)
  context.parked.retain(selected.map(({ path }) => path))
  const monitored: MailboxRow[] = []
  const result: SyncPassResult = { monitored, main, unsettled, listChanged, outdated }
  const refused: string[] = []
  const syncOne = async (row: MailboxRow) => {
    signal.throwIfAborted()
    const outcome = await syncIfChanged(context, row, { full, status: statuses.get(row.path) })
    if ('refusal' in outcome) {
      result.refusal = { path: row.path, error: outcome.refusal }
      if (isUnconfirmed(context, outcome)) refused.push(row.path)
    } else monitored.push(row)
    if (isUnsettled(outcome)) result.unsettled = true
  }
  if (main) await syncOne(main)
  const others = selected.filter((row) => row !== main)
  const indexed = await indexEmpty(context, others, statuses)
  for (const row of others) {
    if (indexed.has(row.id)) monitored.push(row)
    else await syncOne(row)
  }
  // If no mailbox could be synced, and a mailbox is parked (its SELECT or STATUS ended the
  // connection), the account cannot be synced and the sync pass fails.
  if (monitored.length === 0 && selected.some(({ path }) => context.parked.isParked(path))) {
    context.parked.clearAll()
    throw result.refusal?.error ?? parkedError('every folder')
  }
  if (refused.length > 0 && !outdated) result.outdated = await recheckRefused(context, refused)
  const unknownPath = findUnknownPath(selected, rules)
  if (unknownPath !== undefined) result.refusal ??= unknownPathRefusal(unknownPath)
  // A mailbox that the server refused cannot be watched, so another main mailbox is selected.
  result.main = selectMain(monitored, rules)
  deps.metrics.syncPassed((performance.now() - startedAt) / 1000)
  return result
}

/**
 * Runs the initial sync of new mailboxes that are empty according to their counters. The mailboxes
 * need not be selected. After the first LIST response of an account, several new mailboxes have no
 * counters. With LIST-STATUS, another LIST command then requests the counters.
 */
async function indexEmpty(
  context: SyncPassContext,
  rows: readonly MailboxRow[],
  listed: ReadonlyMap<string, MailboxStatus>,
): Promise<ReadonlyMap<string, MailboxRow>> {
  const { deps, account, session } = context
  const unsynced = rows.filter(isNeverSynced)
  const withoutStatus = unsynced.filter(({ path }) => !listed.has(path))
  const statuses =
    withoutStatus.length > 1 && session.capabilities.listStatus
      ? new Map(
          (await session.listMailboxes({ status: true })).map(({ path, status }) => [path, status]),
        )
      : listed
  const mailboxes = unsynced.flatMap((row) => {
    const status = statuses.get(row.path)
    return (status && toEmptyMailbox(context, row, status)) ?? []
  })
  if (mailboxes.length === 0) return new Map()
  return deps.indexEmpty({ lease: account.lease, account, mailboxes })
}

/** Mailbox sync that the server refused, or that was skipped after too many refusals. */
export interface RefusedSync {
  refusal: AppError
  skipped: boolean
}

/** True if a mailbox that the server refused may be deleted although it was listed. */
function isUnconfirmed({ session }: SyncContext, { refusal, skipped }: RefusedSync): boolean {
  if (skipped) return false
  return refusal.kind === 'not-found' || session.capabilities.notify
}

/**
 * True if the mailbox should be synced again soon, because further changes are likely. This
 * includes a listed mailbox that the server refused, because it may be changing.
 */
export function isUnsettled(outcome: SyncResult | RefusedSync): boolean {
  return 'refusal' in outcome ? !outcome.skipped : outcome.changed || outcome.unconfirmed
}

interface SyncOptions {
  full: boolean
  /** True to select the mailbox even if its counters did not change. */
  reselect?: boolean
  status: MailboxStatus | undefined
}

/**
 * Syncs one mailbox if its counters differ from the stored counters. If the server refuses the
 * mailbox, returns the error instead of throwing it, so that other mailboxes are synced.
 *
 * @throws OutdatedConnectionError if the IMAP connection keeps refusing a mailbox that another
 * connection opens
 */
export async function syncIfChanged(
  context: SyncPassContext,
  row: MailboxRow,
  { full, status: listed, ...options }: SyncOptions,
): Promise<SyncResult | RefusedSync> {
  const { refusals } = context
  const reselect = options.reselect === true || context.shortLists.has(row.id)
  let status = listed
  try {
    if (await staysParked(context, row.path))
      return { refusal: parkedError(row.path), skipped: true }
    if (!reselect) status ??= await readStatus(context, row)
    if (refusals.isSuspended(row.path, status, Date.now()))
      return { refusal: suspendedError(row), skipped: true }
    if (!reselect && isSynced(row, status, full)) return unchanged
    const result = await syncMailbox(context, row.id, { full })
    refusals.clear(row.path)
    return result
  } catch (error) {
    if (!isMailboxRefusal(error)) throw error
    refusals.add(row.path, status, Date.now())
    context.log.warn({ err: error, path: row.path }, 'mailbox sync failed')
    const isSuspended = refusals.isSuspended(row.path, status, Date.now())
    if (isSuspended && (await isOpenedByOther(context, row.path)))
      throw new OutdatedConnectionError('The connection refuses a mailbox that another one opens')
    return { refusal: error, skipped: false }
  }
}

function isSynced(row: MailboxRow, status: MailboxStatus | undefined, full: boolean): boolean {
  return status !== undefined && !needsSync(row, status, full)
}

/**
 * Reads the counters of a mailbox by STATUS. Undefined if the mailbox has not been synced
 * completely, because it is then synced in any case.
 */
async function readStatus(
  context: SyncPassContext,
  row: MailboxRow,
): Promise<MailboxStatus | undefined> {
  if (isUnfinished(row)) return undefined
  return recordLoss(context, row.path, () => context.session.status(row.path))
}

function suspendedError({ path }: MailboxRow): AppError {
  return new AppError('rejected', `The server keeps refusing to open ${path}`)
}

/** Number of consecutive refusals by the server after which a mailbox is skipped. */
const maxRefusals = 3
const maxSuspensionMs = 6 * 3_600_000

/**
 * Mailboxes that the server lists but refuses to select. After three refusals, a mailbox is
 * suspended: it is skipped for a delay that doubles with each further refusal, up to 6 h. A change
 * of the mailbox's counters ends the suspension.
 */
export class MailboxRefusals {
  readonly #delayMs: (refusals: number) => number
  readonly #refusals = new Map<string, { count: number; at: number; counters: string }>()

  constructor(minSuspensionMs: number) {
    const delayMs = backoff({ baseMs: minSuspensionMs, maxMs: maxSuspensionMs })
    this.#delayMs = (refusals) => delayMs(refusals - maxRefusals + 1)
  }

  /**
   * True if a mailbox is suspended after refusals by the server, so that it must not be selected
   * now.
   */
  isSuspended(path: string, status: MailboxStatus | undefined, now: number): boolean {
    const refusal = this.#refusals.get(path)
    if (!refusal || refusal.count < maxRefusals) return false
    const isUnchanged = !status || counterKey(status) === refusal.counters
    return now < refusal.at + this.#delayMs(refusal.count) && isUnchanged
  }

  add(path: string, status: MailboxStatus | undefined, now: number): void {
    const count = (this.#refusals.get(path)?.count ?? 0) + 1
    this.#refusals.set(path, { count, at: now, counters: counterKey(status) })
  }

  clear(path: string): void {
    this.#refusals.delete(path)
  }
}

function counterKey(status: MailboxStatus | undefined): string {
  if (!status) return ''
  const { messages, uidNext, uidValidity, highestModseq } = status
  return [messages, uidNext, uidValidity, highestModseq].join(' ')
}
