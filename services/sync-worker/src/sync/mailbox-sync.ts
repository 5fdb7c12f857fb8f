import type { SelectedMailbox, UidRange } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { commit } from '../events/commit.ts'
import { compare, type Found } from '../index/compare.ts'
import type { MailboxIndex } from '../index/mailbox-index.ts'
import { countUids, intersectRanges, subtractRanges } from '../index/ranges.ts'
import { loadIndex } from '../store/chunks.ts'
import { type MailboxRow, saveCursor } from '../store/mailboxes.ts'
import { type Look, whatToLookAt } from './changes.ts'
import type { OpenMailbox, SyncContext } from './context.ts'
import { fillNew, refill, reset, searchAll } from './fill.ts'
import { lostUidValidity } from './mailbox-list.ts'
import { announceNew } from './new-messages.ts'
import { searchFlags } from './search-flags.ts'
import { storeDeltas, storeDeletions, storeFlagChanges } from './store-changes.ts'

export interface SyncWish {
  /** Also compare flags where the server has no mod-sequences. */
  full: boolean
  /** When the first sync of the account's mailboxes was finished, if it was. */
  initializedAt: Date | null
}

export interface SyncResult {
  row: MailboxRow
  /** Something was different. */
  changed: boolean
}

/** Looks what is different in one mailbox, stores it and tells of it. Leaves the mailbox selected. Whatever it is interrupted by, the next one goes on. */
export async function syncMailbox(
  context: SyncContext,
  given: MailboxRow,
  { full, initializedAt }: SyncWish,
): Promise<SyncResult> {
  const startedAt = performance.now()
  const selected = await context.session.select(given.path, { readOnly: true })
  const ready = await agree(context, given, {
    selected,
    announceFrom: announceFrom(context, given, initializedAt),
  })
  const fresh = ready !== given
  const look = whatToLookAt(ready, selected, full && !fresh)
  if (!look.uids && look.flags === 'none') return { row: ready, changed: fresh }
  const index = await loadIndex(context.deps.db, ready.id)
  if (isLost(ready, index)) {
    const voided = await reset(context, ready, selected)
    return syncMailbox(context, voided, { full, initializedAt })
  }
  const mailbox: OpenMailbox = { ...context, row: ready, index }
  const changes = await takeIn(mailbox, selected, {
    look,
    announceFrom: announceFrom(context, ready, initializedAt),
  })
  const row = await storeCursor(mailbox, selected)
  context.deps.metrics.synced((performance.now() - startedAt) / 1000)
  return { row, changed: fresh || changes > 0 }
}

/** Until the first sync of a mailbox that was there before the account was initialized has ended, older messages are not announced. */
function announceFrom(
  { account }: SyncContext,
  row: MailboxRow,
  initializedAt: Date | null,
): Date | undefined {
  if (row.syncedAt !== null) return undefined
  return initializedAt === null || row.createdAt <= initializedAt ? account.notifyFrom : undefined
}

/** Makes sure that what we know belongs to the UIDVALIDITY the server names. The same row where it does. */
async function agree(
  context: SyncContext,
  row: MailboxRow,
  { selected, announceFrom }: { selected: SelectedMailbox; announceFrom: Date | undefined },
): Promise<MailboxRow> {
  const { uidValidity } = selected
  if (uidValidity <= 0n)
    throw new AppError('rejected', `The server names no UIDVALIDITY for ${row.path}`)
  if (row.uidValidity === null) return fillNew(context, row, { selected, announceFrom })
  if (row.uidValidity !== String(uidValidity)) {
    await confirm(context, row, uidValidity)
    return refill(context, await reset(context, row, selected), selected)
  }
  return row.flagsComplete ? row : refill(context, row, selected)
}

/** Servers with several back-ends may answer with a stray UIDVALIDITY: it must say the same twice before all ids are voided. */
async function confirm(
  { session }: SyncContext,
  row: MailboxRow,
  uidValidity: bigint,
): Promise<void> {
  if (row.uidValidity === lostUidValidity) return
  const status = await session.status(row.path)
  if (status.uidValidity !== uidValidity)
    throw new AppError('rejected', `The server names different UIDVALIDITYs for ${row.path}`)
}

/** There were messages, and we know of none any more. */
function isLost({ messages }: MailboxRow, { chunks }: MailboxIndex): boolean {
  return messages !== null && messages > 0 && chunks.size === 0
}

/** Finds and stores every difference: deletions, flags, then new messages. Returns how many there were. */
async function takeIn(
  mailbox: OpenMailbox,
  selected: SelectedMailbox,
  { look, announceFrom }: { look: Look; announceFrom: Date | undefined },
): Promise<number> {
  const { index, row } = mailbox
  const known = index.uids()
  const all = look.uids ? await searchAll(mailbox, selected) : known
  const deltas =
    look.flags === 'delta' ? await storeDeltas(mailbox, BigInt(row.highestModseq ?? 0)) : 0
  const { removed, changed } = compare(
    index,
    await findKnown(mailbox, selected, { all, known, look }),
  )
  await storeDeletions(mailbox, removed)
  await storeFlagChanges(mailbox, changed)
  const added = subtractRanges(all, known)
  await announceNew(mailbox, added, announceFrom)
  return deltas + countUids(removed) + changed.length + countUids(added)
}

/** What became of the messages that are known: new ones are not taken in before they are announced. */
async function findKnown(
  mailbox: OpenMailbox,
  selected: SelectedMailbox,
  { all, known, look }: { all: readonly UidRange[]; known: readonly UidRange[]; look: Look },
): Promise<Found> {
  const uids = intersectRanges(all, known)
  const search = look.flags === 'search' && uids.length > 0
  return {
    uids,
    flags: search
      ? await searchFlags(mailbox, { index: mailbox.index, selected, uids })
      : new Map<string, UidRange[]>(),
  }
}

async function storeCursor(
  { deps, account, row, index }: OpenMailbox,
  selected: SelectedMailbox,
): Promise<MailboxRow> {
  const { uidNext, highestModseq } = selected
  const messages = countUids(index.uids())
  return commit(deps, account.lease, (tx) =>
    saveCursor(tx, row.id, {
      uidNext,
      messages,
      ...(highestModseq === undefined ? {} : { highestModseq }),
    }),
  )
}
