import type { SelectedMailbox } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { loadIndex, MailboxIndex } from '../../index/mailbox-index.ts'
import { findAccountStatus } from '../../../../store/account-status.ts'
import { findMailboxById, type MailboxRow } from '../../../../store/mailboxes.ts'
import type { SyncContext } from '../context.ts'
import { lostUidValidity } from '../mailbox-list/list-plan.ts'
import { recordLoss } from '../mailbox-list/open-parked.ts'
import { assignMessageIds } from './unsynced-mailboxes.ts'
import { planSync } from '../sync-plan.ts'
import { applyChanges, applyNewMessages, type SyncResult } from './apply-changes.ts'
import { initialSync, rebuildIndex, resetMailbox } from './initial-sync.ts'

export const unchanged: SyncResult = { changed: false, unconfirmed: false }

/**
 * Maximum consecutive syncs of a mailbox that keeps changing. Other mailboxes are synced after
 * that.
 */
const maxRepeats = 5

/**
 * Syncs a mailbox repeatedly until a sync finds no changes. Notifications that arrive during a sync
 * may be lost, but unchanged counters prove that nothing changed meanwhile.
 */
export async function syncUntilUnchanged(
  context: SyncContext,
  mailbox: string,
  { full }: { full: boolean },
): Promise<{ unconfirmed: boolean }> {
  for (let repeat = 0; repeat < maxRepeats; repeat++) {
    const options = { full: full && repeat === 0 }
    const { changed, unconfirmed } = await syncMailbox(context, mailbox, options)
    if (!changed) return { unconfirmed }
  }
  return { unconfirmed: false }
}

/**
 * Compares a mailbox with its index and stores the differences with their events. Leaves the
 * mailbox selected. If the sync is interrupted, the next sync continues. With `full`, flags are
 * compared even if the server has no mod-sequences.
 */
export function syncMailbox(
  context: SyncContext,
  mailbox: string,
  { full }: { full: boolean },
): Promise<SyncResult> {
  return context.locks.run(mailbox, async () => {
    const row = await findMailboxById(context.deps.db, mailbox)
    if (!row) return unchanged
    try {
      return await sync(context, row, full)
    } catch (error) {
      if (await isDeleted(context, mailbox, error)) return unchanged
      throw error
    }
  })
}

/** True if a sync failed because another connection deleted the mailbox and its row. */
async function isDeleted(
  { deps, signal }: SyncContext,
  mailbox: string,
  error: unknown,
): Promise<boolean> {
  const isOther = error instanceof AppError && ['stale', 'unreachable'].includes(error.kind)
  return !isOther && !signal.aborted && (await findMailboxById(deps.db, mailbox)) === undefined
}

async function sync(context: SyncContext, row: MailboxRow, full: boolean): Promise<SyncResult> {
  const startedAt = performance.now()
  const { db, metrics } = context.deps
  const observe = () => metrics.mailboxSynced((performance.now() - startedAt) / 1000)
  context.selection.mailbox = undefined
  const selected = await recordLoss(context, row.path, () =>
    context.session.select(row.path, { readOnly: true }),
  )
  context.parked.clear(row.path)
  context.selection.mailbox = row.id
  context.messageCounts.set(row.id, selected.messages)
  const announceFrom = await findAnnounceFrom(context, row)
  const indexed = await ensureUidValidity(context, row, { selected, announceFrom })
  // If lists of the mailbox are short, `shortLists` decides when the mailbox is listed again.
  if (!indexed) return { changed: false, unconfirmed: !context.shortLists.has(row.id) }
  const isNew = indexed !== row
  const planned = planSync(indexed, selected, full && !isNew)
  const plan = { ...planned, uids: planned.uids || context.shortLists.has(row.id) }
  if (!plan.uids && plan.flags === 'none') {
    if (isNew) observe()
    return { changed: isNew, unconfirmed: false }
  }
  const isFull = indexed.indexer === 'full'
  const index = isFull ? await loadIndex(db, indexed.id) : new MailboxIndex()
  if (isIndexLost(indexed, index)) {
    await resetMailbox(context, indexed, selected)
    const voided = await findMailboxById(db, indexed.id)
    return voided ? sync(context, voided, full) : unchanged
  }
  const mailbox = { ...context, row: indexed, index }
  const { changed, unconfirmed } = isFull
    ? await applyChanges(mailbox, selected, { plan, announceFrom })
    : await applyNewMessages(mailbox, selected, announceFrom)
  observe()
  return { changed: isNew || changed, unconfirmed }
}

/**
 * Arrival time from which the first sync of a mailbox announces messages. Undefined if all messages
 * are announced, because the mailbox was created after the account was initialized, or if the
 * mailbox was synced before.
 */
async function findAnnounceFrom(
  { deps, account }: SyncContext,
  row: MailboxRow,
): Promise<Date | undefined> {
  if (row.syncedAt !== null) return undefined
  const status = await findAccountStatus(deps.db, account.account)
  const initializedAt = status?.initializedAt ?? null
  return initializedAt === null || row.createdAt <= initializedAt ? account.notifyFrom : undefined
}

interface SyncStart {
  selected: SelectedMailbox
  announceFrom: Date | undefined
}

/**
 * Ensures that the mailbox index belongs to the server's UIDVALIDITY, if needed by an initial sync
 * or a reset (invalidation of message ids). Returns the unchanged row if nothing was needed.
 * Undefined if a new UIDVALIDITY is not confirmed, or if the server lists too few messages.
 */
async function ensureUidValidity(
  context: SyncContext,
  row: MailboxRow,
  start: SyncStart,
): Promise<MailboxRow | undefined> {
  const { selected } = start
  const { uidValidity } = selected
  if (uidValidity <= 0n)
    throw new AppError('rejected', `The server reports no UIDVALIDITY for ${row.path}`)
  if (row.uidValidity === null) return initialSync(context, row, start)
  // A mailbox with message ids only was not synced yet. If the UIDVALIDITY of such a mailbox
  // changed, its message ids become invalid without a `mailboxReset`.
  if (row.idsOnly)
    return initialSync(context, await assignMessageIds(context, row, uidValidity), start)
  if (row.uidValidity !== String(uidValidity)) {
    if (!(await confirmNewValidity(context, row, uidValidity))) return undefined
    return rebuildIndex(context, await resetMailbox(context, row, selected), selected)
  }
  context.uidValidityGuard.clear(row.id)
  if (row.flagsComplete) return row
  // The index of the mailbox was flushed, so that only the message ids are left.
  if (row.uidNext === null) return initialSync(context, row, start)
  return rebuildIndex(context, row, selected)
}

async function confirmNewValidity(
  context: SyncContext,
  row: MailboxRow,
  uidValidity: bigint,
): Promise<boolean> {
  if (row.uidValidity === lostUidValidity) return true
  const isConfirmed = await context.uidValidityGuard.confirmUidValidity(row, uidValidity, () =>
    readUidValidityAgain(context, row.path),
  )
  if (!isConfirmed)
    context.log.warn(
      { path: row.path, stored: row.uidValidity, reported: String(uidValidity) },
      'UIDVALIDITY change not confirmed',
    )
  return isConfirmed
}

/**
 * Reads the UIDVALIDITY of a mailbox over another connection. If the server allows no other
 * connection, uses the connection that syncs the mailbox.
 */
async function readUidValidityAgain(
  { connect, session, signal }: SyncContext,
  path: string,
): Promise<bigint> {
  try {
    await using other = await connect(signal)
    return (await other.status(path)).uidValidity
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) return (await session.status(path)).uidValidity
    throw error
  }
}

/** True if the mailbox index was lost: the mailbox row counts messages, but the index is empty. */
function isIndexLost({ messages, indexer }: MailboxRow, { chunks }: MailboxIndex): boolean {
  return indexer === 'full' && messages !== null && messages > 0 && chunks.size === 0
}
