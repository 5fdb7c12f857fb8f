import type { MailboxStatus } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import type { MailboxRow } from '../store/mailboxes.ts'
import { isUnfinished, needsLook } from './changes.ts'
import { type Choice, mainOf, monitoredOf } from './choice.ts'
import type { SyncContext } from './context.ts'
import { emptyMailbox, isUnseen } from './empty.ts'
import { type MailboxList, syncMailboxList } from './mailbox-list.ts'
import { syncMailbox, type SyncResult } from './mailbox-sync.ts'
import type { Parked } from './parked.ts'

/** What a look at all mailboxes found out about them as a whole. */
export interface RoundResult {
  /** Those looked after, apart from those that refuse to be opened. */
  monitored: MailboxRow[]
  main: MailboxRow | undefined
  /** Something is left open, or may have changed behind us, that another round soon settles. */
  unsettled: boolean
  /** The server denied a mailbox that it had listed: one of both is out of date. */
  contradicted: boolean
  /** The last one that could not be looked at, and what the server said. */
  trouble: { path: string; error: AppError } | undefined
}

export interface Rounds extends SyncContext {
  readonly parked: Parked
}

export function choiceOf({ account, session }: SyncContext): Choice {
  return { paths: account.paths, gmail: session.capabilities.gmail }
}

/** Dovecot 2.3 may list mailboxes as they once were for as long as a connection lasts that was told of other changes by NOTIFY. */
export type ListFrom = 'here' | 'a fresh connection'

async function list(context: SyncContext, from: ListFrom): Promise<MailboxList> {
  if (from === 'here') return syncMailboxList(context, { status: true })
  await using session = await context.open(context.signal)
  return await syncMailboxList({ ...context, session }, { status: true })
}

/** Lists the mailboxes and syncs those whose counters have changed, the main one first. With `full` flags are compared in any case. */
export async function lookAtAll(
  context: Rounds,
  { full, from }: { full: boolean; from: ListFrom },
): Promise<RoundResult> {
  const { signal } = context
  const startedAt = performance.now()
  const { rows, statuses, unsettled } = await list(context, from)
  const monitored = monitoredOf(rows, choiceOf(context))
  const main = mainOf(monitored, choiceOf(context))
  const open: MailboxRow[] = []
  const result: RoundResult = {
    monitored: open,
    main,
    unsettled,
    contradicted: false,
    trouble: undefined,
  }
  const look = async (row: MailboxRow) => {
    signal.throwIfAborted()
    const looked = await lookAt(context, row, { full, status: statuses.get(row.path) })
    if (!('refusal' in looked)) open.push(row)
    else {
      result.trouble = { path: row.path, error: looked.refusal }
      if (looked.refusal.kind === 'not-found') result.contradicted = true
    }
    if (isUnsettled(looked)) result.unsettled = true
  }
  if (main) await look(main)
  const others = monitored.filter((row) => row !== main)
  const filled = await fillEmptyOnes(context, others, statuses)
  for (const row of others) {
    if (filled.has(row.id)) open.push(row)
    else await look(row)
  }
  // One that refuses to be opened cannot be watched.
  result.main = mainOf(open, choiceOf(context))
  context.deps.metrics.lookedAtAll((performance.now() - startedAt) / 1000)
  return result
}

/**
 * Mailboxes found just now, of which counters say that nothing is in them, need not be opened one by one. Where the listing brought no
 * counters, which is so for the first one, another is worth its round trip.
 */
async function fillEmptyOnes(
  context: Rounds,
  rows: readonly MailboxRow[],
  listed: ReadonlyMap<string, MailboxStatus>,
): Promise<ReadonlyMap<string, MailboxRow>> {
  const { deps, account, session } = context
  const unseen = rows.filter(isUnseen)
  const unknown = unseen.filter(({ path }) => !listed.has(path))
  const ask = unknown.length > 1 && session.capabilities.listStatus
  const statuses = ask
    ? new Map(
        (await session.listMailboxes({ status: true })).map((found) => [found.path, found.status]),
      )
    : listed
  const mailboxes = unseen.flatMap((row) => {
    const status = statuses.get(row.path)
    return (status && emptyMailbox(context, row, status)) ?? []
  })
  if (mailboxes.length === 0) return new Map()
  return deps.fillEmpty({ lease: account.lease, account, mailboxes })
}

/** A mailbox that the server refuses to open; `parked`: as it did so often that it was not asked now. */
export interface Refused {
  refusal: AppError
  parked: boolean
}

const quiet: SyncResult = { changed: false, doubtful: false }

/** Whether another look soon may find something else: also of a mailbox that is listed and not there, which is gone or about to come. */
export function isUnsettled(looked: SyncResult | Refused): boolean {
  return 'refusal' in looked ? !looked.parked : looked.changed || looked.doubtful
}

/** Syncs one mailbox where its counters give a reason to, or with `open` in any case. What the server refuses is returned: it must not keep others from being looked at. */
export async function lookAt(
  context: Rounds,
  row: MailboxRow,
  {
    full,
    open = false,
    status: told,
  }: { full: boolean; open?: boolean; status: MailboxStatus | undefined },
): Promise<SyncResult | Refused> {
  const { parked, session } = context
  let status = told
  try {
    if (!status && !open && !isUnfinished(row)) status = await session.status(row.path)
    if (parked.skips(row.path, status, Date.now()))
      return { refusal: parkedError(row), parked: true }
    if (status && !needsLook(row, status, full)) return quiet
    const result = await syncMailbox(context, row.id, { full })
    parked.opened(row.path)
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
