import type { SelectedMailbox } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { MailboxIndex } from '../../index/mailbox-index.ts'
import { loadIndex } from '../../store/chunks.ts'
import { findMailboxById, type MailboxRow } from '../../store/mailboxes.ts'
import { findAccountStatus } from '../../store/account-states.ts'
import { planSync } from '../sync-plan.ts'
import type { MailboxContext, SyncContext } from '../context.ts'
import { initialSync, rebuildIndex, resetMailbox } from './initial-sync.ts'
import { lostUidValidity } from '../mailbox-list/mailbox-list.ts'
import { applyChanges, applyNewMessages } from './apply-changes.ts'
import { confirmUidValidity } from './uid-validity.ts'
import { assignMessageIds } from '../mailbox-list/unsynced-mailboxes.ts'

export interface SyncResult {
  /** Something was different. */
  changed: boolean
  /** It claims to be another mailbox than before, which is not believed yet: look again soon. */
  unconfirmed: boolean
}

const unchanged: SyncResult = { changed: false, unconfirmed: false }

/**
 * Looks what is different in one mailbox, stores it and tells of it. Leaves the mailbox selected. Whatever it is interrupted by, the next
 * one goes on. With `full` flags are compared also where the server has no mod-sequences.
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

/** Whether it was deleted over another connection while we looked, and what we stored of it as well. */
async function isDeleted(
  { deps, signal }: SyncContext,
  mailbox: string,
  error: unknown,
): Promise<boolean> {
  const ours = error instanceof AppError && ['stale', 'unreachable'].includes(error.kind)
  return !ours && !signal.aborted && (await findMailboxById(deps.db, mailbox)) === undefined
}

async function sync(context: SyncContext, given: MailboxRow, full: boolean): Promise<SyncResult> {
  const startedAt = performance.now()
  context.selection.mailbox = undefined
  const selected = await context.session.select(given.path, { readOnly: true })
  context.selection.mailbox = given.id
  const announceFrom = await findAnnounceFrom(context, given)
  const ready = await ensureUidValidity(context, given, { selected, announceFrom })
  if (!ready) return { changed: false, unconfirmed: true }
  const fresh = ready !== given
  const look = planSync(ready, selected, full && !fresh)
  if (!look.uids && look.flags === 'none') {
    if (fresh) context.deps.metrics.mailboxSynced((performance.now() - startedAt) / 1000)
    return { changed: fresh, unconfirmed: false }
  }
  const { db } = context.deps
  const index = ready.indexer === 'full' ? await loadIndex(db, ready.id) : new MailboxIndex()
  if (isIndexLost(ready, index)) {
    await resetMailbox(context, ready, selected)
    const voided = await findMailboxById(db, ready.id)
    return voided ? sync(context, voided, full) : unchanged
  }
  const mailbox: MailboxContext = { ...context, row: ready, index }
  const changed =
    ready.indexer === 'full'
      ? await applyChanges(mailbox, selected, { look, announceFrom })
      : await applyNewMessages(mailbox, selected, announceFrom)
  context.deps.metrics.mailboxSynced((performance.now() - startedAt) / 1000)
  return { changed: fresh || changed, unconfirmed: false }
}

/** Until the first sync of a mailbox that was there before the account was initialized has ended, older messages are not announced. */
async function findAnnounceFrom(
  { deps, account }: SyncContext,
  row: MailboxRow,
): Promise<Date | undefined> {
  if (row.syncedAt !== null) return undefined
  const initializedAt = (await findAccountStatus(deps.db, account.account))?.initializedAt ?? null
  return initializedAt === null || row.createdAt <= initializedAt ? account.notifyFrom : undefined
}

/** Makes sure that what we know belongs to the UIDVALIDITY the server names. The same row where it does, none where that is in doubt. */
async function ensureUidValidity(
  context: SyncContext,
  row: MailboxRow,
  { selected, announceFrom }: { selected: SelectedMailbox; announceFrom: Date | undefined },
): Promise<MailboxRow | undefined> {
  const { uidValidity } = selected
  if (uidValidity <= 0n)
    throw new AppError('rejected', `The server names no UIDVALIDITY for ${row.path}`)
  if (row.uidValidity === null) return initialSync(context, row, { selected, announceFrom })
  // From now on it is looked after: ids of another UIDVALIDITY are void, and nobody was told of it.
  if (row.idsOnly) {
    const known = await assignMessageIds(context, row, uidValidity)
    return initialSync(context, known, { selected, announceFrom })
  }
  if (row.uidValidity !== String(uidValidity)) {
    const known = row.uidValidity !== lostUidValidity
    if (known && !(await confirmUidValidity(context, row, uidValidity))) {
      context.log.warn(
        { path: row.path, known: row.uidValidity, named: String(uidValidity) },
        'the server names another UIDVALIDITY, which is not believed yet',
      )
      return undefined
    }
    return rebuildIndex(context, await resetMailbox(context, row, selected), selected)
  }
  context.uidValidityGuard.clear(row.id)
  // Flushed: nothing is known of it but its ids.
  if (!row.flagsComplete && row.uidNext === null)
    return initialSync(context, row, { selected, announceFrom })
  return row.flagsComplete ? row : rebuildIndex(context, row, selected)
}

/** There were messages, and we know of none any more. */
function isIndexLost({ messages, indexer }: MailboxRow, { chunks }: MailboxIndex): boolean {
  return indexer === 'full' && messages !== null && messages > 0 && chunks.size === 0
}
