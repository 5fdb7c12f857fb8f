import type { MailboxStatus } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import type { MailboxRow } from '../../store/mailboxes.ts'
import { isUnfinished, needsSync } from '../sync-plan.ts'
import { type SelectionRules, selectMain, selectMonitored } from '../mailbox-list/selection.ts'
import type { SyncContext } from '../context.ts'
import { toEmptyMailbox, isNeverSynced } from '../changes/empty-mailboxes.ts'
import { type MailboxList, syncMailboxList } from '../mailbox-list/mailbox-list.ts'
import { syncMailbox, type SyncResult } from '../changes/mailbox-sync.ts'
import type { MailboxRefusals } from './refusals.ts'

/** What a look at all mailboxes found out about them as a whole. */
export interface SyncPassResult {
  /** Those looked after, apart from those that refuse to be opened. */
  monitored: MailboxRow[]
  main: MailboxRow | undefined
  /** Something is left open, or may have changed behind us, that another round soon settles. */
  unsettled: boolean
  /** The server denied a mailbox that it had listed: one of both is out of date. */
  contradicted: boolean
  /** The last one that could not be looked at, and what the server said. */
  refusal: { path: string; error: AppError } | undefined
}

export interface SyncPassContext extends SyncContext {
  readonly refusals: MailboxRefusals
}

export function selectionRules({ account, session }: SyncContext): SelectionRules {
  return { paths: account.paths, gmail: session.capabilities.gmail }
}

/** Dovecot 2.3 may list mailboxes as they once were for as long as a connection lasts that was told of other changes by NOTIFY. */
export type ListSource = 'here' | 'a fresh connection'

async function list(context: SyncContext, from: ListSource): Promise<MailboxList> {
  if (from === 'here') return syncMailboxList(context, { status: true })
  await using session = await context.connect(context.signal)
  return await syncMailboxList({ ...context, session }, { status: true })
}

/** Lists the mailboxes and syncs those whose counters have changed, the main one first. With `full` flags are compared in any case. */
export async function runSyncPass(
  context: SyncPassContext,
  { full, from }: { full: boolean; from: ListSource },
): Promise<SyncPassResult> {
  const { signal } = context
  const startedAt = performance.now()
  const { rows, statuses, unsettled } = await list(context, from)
  const monitored = selectMonitored(rows, selectionRules(context))
  const main = selectMain(monitored, selectionRules(context))
  const open: MailboxRow[] = []
  const result: SyncPassResult = {
    monitored: open,
    main,
    unsettled,
    contradicted: false,
    refusal: undefined,
  }
  const look = async (row: MailboxRow) => {
    signal.throwIfAborted()
    const looked = await syncIfChanged(context, row, { full, status: statuses.get(row.path) })
    if (!('refusal' in looked)) open.push(row)
    else {
      result.refusal = { path: row.path, error: looked.refusal }
      if (looked.refusal.kind === 'not-found') result.contradicted = true
    }
    if (isUnsettled(looked)) result.unsettled = true
  }
  if (main) await look(main)
  const others = monitored.filter((row) => row !== main)
  const filled = await indexEmpty(context, others, statuses)
  for (const row of others) {
    if (filled.has(row.id)) open.push(row)
    else await look(row)
  }
  // One that refuses to be opened cannot be watched.
  result.main = selectMain(open, selectionRules(context))
  context.deps.metrics.syncPassed((performance.now() - startedAt) / 1000)
  return result
}

/**
 * Mailboxes found just now, of which counters say that nothing is in them, need not be opened one by one. Where the listing brought no
 * counters, which is so for the first one, another is worth its round trip.
 */
async function indexEmpty(
  context: SyncPassContext,
  rows: readonly MailboxRow[],
  listed: ReadonlyMap<string, MailboxStatus>,
): Promise<ReadonlyMap<string, MailboxRow>> {
  const { deps, account, session } = context
  const unseen = rows.filter(isNeverSynced)
  const unknown = unseen.filter(({ path }) => !listed.has(path))
  const ask = unknown.length > 1 && session.capabilities.listStatus
  const statuses = ask
    ? new Map(
        (await session.listMailboxes({ status: true })).map((found) => [found.path, found.status]),
      )
    : listed
  const mailboxes = unseen.flatMap((row) => {
    const status = statuses.get(row.path)
    return (status && toEmptyMailbox(context, row, status)) ?? []
  })
  if (mailboxes.length === 0) return new Map()
  return deps.indexEmpty({ lease: account.lease, account, mailboxes })
}

/** A mailbox that the server refuses to open; `parked`: as it did so often that it was not asked now. */
export interface RefusedSync {
  refusal: AppError
  parked: boolean
}

const quiet: SyncResult = { changed: false, unconfirmed: false }

/** Whether another look soon may find something else: also of a mailbox that is listed and not there, which is gone or about to come. */
export function isUnsettled(looked: SyncResult | RefusedSync): boolean {
  return 'refusal' in looked ? !looked.parked : looked.changed || looked.unconfirmed
}

/** Syncs one mailbox where its counters give a reason to, or with `open` in any case. What the server refuses is returned: it must not keep others from being looked at. */
export async function syncIfChanged(
  context: SyncPassContext,
  row: MailboxRow,
  {
    full,
    open = false,
    status: told,
  }: { full: boolean; open?: boolean; status: MailboxStatus | undefined },
): Promise<SyncResult | RefusedSync> {
  const { refusals: parked, session } = context
  let status = told
  try {
    if (!status && !open && !isUnfinished(row)) status = await session.status(row.path)
    if (parked.isSuspended(row.path, status, Date.now()))
      return { refusal: parkedError(row), parked: true }
    if (status && !needsSync(row, status, full)) return quiet
    const result = await syncMailbox(context, row.id, { full })
    parked.clear(row.path)
    return result
  } catch (error) {
    if (!isRefusal(error)) throw error
    parked.refused(row.path, status, Date.now())
    context.log.warn({ err: error, path: row.path }, 'a mailbox cannot be looked at')
    return { refusal: error, parked: false }
  }
}

function parkedError({ path }: MailboxRow): AppError {
  return new AppError('rejected', `The server keeps refusing to open ${path}`)
}

/** Whether the server refuses one mailbox, and not the connection. */
export function isRefusal(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false
  return error.kind === 'rejected' || error.kind === 'not-found' || error.code === 'NoUidValidity'
}
