import type { SelectedMailbox } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { MailboxIndex } from '../index/mailbox-index.ts'
import { loadIndex } from '../store/chunks.ts'
import { findMailboxById, type MailboxRow } from '../store/mailboxes.ts'
import { findStanding } from '../store/states.ts'
import { whatToLookAt } from './changes.ts'
import type { OpenMailbox, SyncContext } from './context.ts'
import { fillNew, refill, reset } from './fill.ts'
import { lostUidValidity } from './mailbox-list.ts'
import { takeIn, takeInNew } from './take-in.ts'
import { believes } from './validity.ts'
import { giveIds } from './without-sync.ts'

export interface SyncResult {
  /** Something was different. */
  changed: boolean
  /** It claims to be another mailbox than before, which is not believed yet: look again soon. */
  doubtful: boolean
}

const unchanged: SyncResult = { changed: false, doubtful: false }

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
      if (await isGone(context, mailbox, error)) return unchanged
      throw error
    }
  })
}

/** Whether it was deleted over another connection while we looked, and what we stored of it as well. */
async function isGone(
  { deps, signal }: SyncContext,
  mailbox: string,
  error: unknown,
): Promise<boolean> {
  const ours = error instanceof AppError && ['stale', 'unreachable'].includes(error.kind)
  return !ours && !signal.aborted && (await findMailboxById(deps.db, mailbox)) === undefined
}

async function sync(context: SyncContext, given: MailboxRow, full: boolean): Promise<SyncResult> {
  const startedAt = performance.now()
  context.opened.mailbox = undefined
  const selected = await context.session.select(given.path, { readOnly: true })
  context.opened.mailbox = given.id
  const announceFrom = await announcesFrom(context, given)
  const ready = await agree(context, given, { selected, announceFrom })
  if (!ready) return { changed: false, doubtful: true }
  const fresh = ready !== given
  const look = whatToLookAt(ready, selected, full && !fresh)
  if (!look.uids && look.flags === 'none') {
    if (fresh) context.deps.metrics.synced((performance.now() - startedAt) / 1000)
    return { changed: fresh, doubtful: false }
  }
  const { db } = context.deps
  const index = ready.indexer === 'full' ? await loadIndex(db, ready.id) : new MailboxIndex()
  if (isLost(ready, index)) {
    await reset(context, ready, selected)
    const voided = await findMailboxById(db, ready.id)
    return voided ? sync(context, voided, full) : unchanged
  }
  const mailbox: OpenMailbox = { ...context, row: ready, index }
  const changed =
    ready.indexer === 'full'
      ? await takeIn(mailbox, selected, { look, announceFrom })
      : await takeInNew(mailbox, selected, announceFrom)
  context.deps.metrics.synced((performance.now() - startedAt) / 1000)
  return { changed: fresh || changed, doubtful: false }
}

/** Until the first sync of a mailbox that was there before the account was initialized has ended, older messages are not announced. */
async function announcesFrom(
  { deps, account }: SyncContext,
  row: MailboxRow,
): Promise<Date | undefined> {
  if (row.syncedAt !== null) return undefined
  const initializedAt = (await findStanding(deps.db, account.account))?.initializedAt ?? null
  return initializedAt === null || row.createdAt <= initializedAt ? account.notifyFrom : undefined
}

/** Makes sure that what we know belongs to the UIDVALIDITY the server names. The same row where it does, none where that is in doubt. */
async function agree(
  context: SyncContext,
  row: MailboxRow,
  { selected, announceFrom }: { selected: SelectedMailbox; announceFrom: Date | undefined },
): Promise<MailboxRow | undefined> {
  const { uidValidity } = selected
  if (uidValidity <= 0n)
    throw new AppError('rejected', `The server names no UIDVALIDITY for ${row.path}`)
  if (row.uidValidity === null) return fillNew(context, row, { selected, announceFrom })
  // From now on it is looked after: ids of another UIDVALIDITY are void, and nobody was told of it.
  if (row.idsOnly) {
    const known = await giveIds(context, row, uidValidity)
    return fillNew(context, known, { selected, announceFrom })
  }
  if (row.uidValidity !== String(uidValidity)) {
    const known = row.uidValidity !== lostUidValidity
    if (known && !(await believes(context, row, uidValidity))) {
      context.log.warn(
        { path: row.path, known: row.uidValidity, named: String(uidValidity) },
        'the server names another UIDVALIDITY, which is not believed yet',
      )
      return undefined
    }
    return refill(context, await reset(context, row, selected), selected)
  }
  context.doubts.clear(row.id)
  // Flushed: nothing is known of it but its ids.
  if (!row.flagsComplete && row.uidNext === null)
    return fillNew(context, row, { selected, announceFrom })
  return row.flagsComplete ? row : refill(context, row, selected)
}

/** There were messages, and we know of none any more. */
function isLost({ messages, indexer }: MailboxRow, { chunks }: MailboxIndex): boolean {
  return indexer === 'full' && messages !== null && messages > 0 && chunks.size === 0
}
