import { AppError } from '@posthorn/errors'
import type { MailboxNotice } from '@posthorn/backends'
import type { MailboxRow } from '../store/mailboxes.ts'
import { findStanding } from '../store/states.ts'
import { needsLook } from './changes.ts'
import type { SyncContext } from './context.ts'
import { isMonitored } from './listing.ts'
import { syncMailboxList } from './mailbox-list.ts'
import { syncMailbox } from './mailbox-sync.ts'

export interface Following extends SyncContext {
  /** Called when all mailboxes were looked at in full. */
  onSynced: () => Promise<void>
  /** A signal that aborts when somebody wants all mailboxes looked at. A fresh one after each abort. */
  nudge: () => AbortSignal
}

/** Flags and deletions come in bursts: this long is waited for more of them. An arrival is not kept waiting. */
const settleMs = 200
/** How often a mailbox is synced on end while the server goes on changing it, before others get their turn. */
const maxRepeats = 5

/**
 * Looks at all mailboxes, then watches the inbox: what comes there is told at once. The others are asked for their counters after each
 * arrival, at most every few seconds, and all are looked at in full every `resyncDelay`. Ends when the signal aborts, by throwing its
 * reason or an error of the connection.
 */
export async function followMailboxes(context: Following): Promise<void> {
  const { deps, account, session, signal } = context
  const resyncMs = (account.imap.resyncDelay ?? 900) * 1_000
  let rows = await round(context, true)
  await context.onSynced()
  let fullAt = Date.now()
  let lookedAt = fullAt
  let quickDue = Infinity
  while (!signal.aborted) {
    const nudge = context.nudge()
    const main = watchedOf(rows, account.paths)
    if (main) rows = replace(rows, await syncUntilQuiet(context, main))
    else await session.ping() // nothing to watch: IDLE says at least that the connection lives
    const due = Math.min(fullAt + resyncMs, quickDue)
    const woken = due > Date.now() && (await watchOnce(context, due - Date.now(), nudge))
    if (woken)
      quickDue = Math.min(quickDue, Math.max(Date.now(), lookedAt + deps.config.quickRoundMs))
    const full = nudge.aborted || Date.now() >= fullAt + resyncMs
    if (!full && Date.now() < quickDue) continue
    rows = await round(context, full)
    lookedAt = Date.now()
    quickDue = Infinity
    if (!full) continue
    fullAt = lookedAt
    await context.onSynced()
  }
  signal.throwIfAborted()
}

/** Lists the mailboxes and syncs those whose counters have changed, the inbox first. The rows as they are then. */
async function round(context: SyncContext, full: boolean): Promise<MailboxRow[]> {
  const { deps, account, session, signal, log } = context
  let rows = await syncMailboxList(context)
  const initializedAt = (await findStanding(deps.db, account.account))?.initializedAt ?? null
  const monitored = rows.filter((row) => isMonitored(row, account.paths))
  const main = watchedOf(rows, account.paths)
  for (const row of monitored.toSorted((a, b) => Number(b === main) - Number(a === main))) {
    signal.throwIfAborted()
    try {
      if (row !== main && !needsLook(row, await session.status(row.path), full)) continue
      rows = replace(rows, (await syncMailbox(context, row, { full, initializedAt })).row)
    } catch (error) {
      // One mailbox that the server refuses must not keep the others from being looked at; the next round tries again.
      if (!isRefusal(error)) throw error
      log.warn({ err: error, path: row.path }, 'a mailbox cannot be looked at')
    }
  }
  return rows
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && (error.kind === 'rejected' || error.kind === 'not-found')
}

/** The mailbox that is watched: the inbox, or the first there is. */
function watchedOf(rows: readonly MailboxRow[], paths: readonly string[]): MailboxRow | undefined {
  const monitored = rows.filter((row) => isMonitored(row, paths))
  return monitored.find(({ specialUse }) => specialUse === '\\Inbox') ?? monitored[0]
}

function replace(rows: readonly MailboxRow[], row: MailboxRow): MailboxRow[] {
  return rows.map((other) => (other.id === row.id ? row : other))
}

/**
 * What the server says while we work is not heard: only when it names the same counters as before has nothing come in between, and from
 * then on watching hears everything.
 */
async function syncUntilQuiet(context: SyncContext, main: MailboxRow): Promise<MailboxRow> {
  const { deps, account } = context
  const initializedAt = (await findStanding(deps.db, account.account))?.initializedAt ?? null
  let row = main
  for (let repeat = 0; repeat < maxRepeats; repeat++) {
    const result = await syncMailbox(context, row, { full: true, initializedAt })
    row = result.row
    if (!result.changed) break
  }
  return row
}

/** Watches the mailbox that is selected. True when something happened there, false when time is up, somebody calls or all is to end. */
async function watchOnce(
  { session, signal }: SyncContext,
  forMs: number,
  nudge: AbortSignal,
): Promise<boolean> {
  const stop = new AbortController()
  let noticed = false
  const timer = setTimeout(() => stop.abort(), Math.min(forMs, 2 ** 31 - 1))
  let settling: NodeJS.Timeout | undefined
  const notice = ({ kind }: MailboxNotice) => {
    noticed = true
    if (kind === 'exists') stop.abort()
    else settling ??= setTimeout(() => stop.abort(), settleMs)
  }
  try {
    await session.watch(notice, AbortSignal.any([signal, stop.signal, nudge]))
    // Over although nobody asked for it: the connection is gone, and says so when it is used.
    if (!stop.signal.aborted && !signal.aborted && !nudge.aborted) await session.ping()
  } finally {
    clearTimeout(timer)
    clearTimeout(settling)
  }
  return noticed
}
