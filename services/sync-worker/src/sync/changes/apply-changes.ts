import type { SelectedMailbox, UidRange } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { commit } from '../../events/commit.ts'
import { compare } from '../../index/compare.ts'
import { countUids, intersectRanges, subtractRanges, uniteRanges } from '../../index/ranges.ts'
import { saveCursor, saveUidNext } from '../../store/mailboxes.ts'
import type { SyncPlan } from '../sync-plan.ts'
import type { MailboxContext } from '../context.ts'
import { searchAll } from './initial-sync.ts'
import { announceNew } from '../ingest.ts'
import { searchFlags } from './search-flags.ts'
import { storeDeletions, storeDeltas, storeFlagChanges } from './store-changes.ts'

/** Finds and stores every difference: deletions, flags, then new messages. Whether there was one. */
export async function applyChanges(
  mailbox: MailboxContext,
  selected: SelectedMailbox,
  { look, announceFrom }: { look: SyncPlan; announceFrom: Date | undefined },
): Promise<boolean> {
  const { index } = mailbox
  const deltas = look.flags === 'delta' ? await applyDeltas(mailbox) : 0
  const known = index.uids()
  const all = look.uids ? await findUids(mailbox, selected, known) : known
  const removed = subtractRanges(known, all)
  await storeDeletions(mailbox, removed)
  const compares = look.flags === 'search' || deltas === undefined
  const changed = compares ? await compareFlags(mailbox, selected) : 0
  const added = subtractRanges(all, known)
  await announceNew(mailbox, added, { announceFrom })
  const { uidNext, highestModseq } = selected
  await storeCursor(mailbox, {
    uidNext,
    messages: countUids(index.uids()),
    ...(highestModseq === undefined ? {} : { highestModseq }),
  })
  return (deltas ?? 0) + countUids(removed) + changed + countUids(added) > 0
}

/** How many messages changed; undefined where the server does not say after all, and everything is to be compared. */
async function applyDeltas(mailbox: MailboxContext): Promise<number | undefined> {
  try {
    return await storeDeltas(mailbox, BigInt(mailbox.row.highestModseq ?? 0))
  } catch (error) {
    // Too much for one answer, or a server that tells mod-sequences and answers CHANGEDSINCE with BAD (Yahoo).
    const refused =
      error instanceof AppError && (error.kind === 'unprocessable' || error.kind === 'rejected')
    if (!refused) throw error
    mailbox.log.debug({ err: error, path: mailbox.row.path }, 'changes are found by comparison')
    return undefined
  }
}

/**
 * Announces what came since the last UID that is known, and keeps no more than that. A UID of UIDNEXT or above is new, whatever came or
 * went below.
 */
export async function applyNewMessages(
  mailbox: MailboxContext,
  selected: SelectedMailbox,
  announceFrom: Date | undefined,
): Promise<boolean> {
  const { deps, account, row } = mailbox
  const from = Number(row.uidNext ?? 1)
  const added = selected.messages === 0 ? [] : await mailbox.session.searchUids({ from })
  await announceNew(mailbox, added, {
    announceFrom,
    onBatch: (uidNext) => commit(deps, account.lease, (tx) => saveUidNext(tx, row.id, uidNext)),
  })
  const last = added.at(-1)?.[1] ?? 0
  await storeCursor(mailbox, {
    uidNext: Math.max(selected.uidNext, from, last + 1),
    messages: selected.messages,
  })
  return added.length > 0
}

/** The UIDs there are. Where those known and those that came add up to what the server counts, nothing else has to be asked for. */
async function findUids(
  mailbox: MailboxContext,
  selected: SelectedMailbox,
  known: readonly UidRange[],
): Promise<UidRange[]> {
  const { row } = mailbox
  const from = Number(row.uidNext ?? 0)
  if (row.syncedAt === null || row.messages === null || from === 0 || selected.uidNext === 0)
    return searchAll(mailbox, selected)
  const came = selected.uidNext > from ? await mailbox.session.searchUids({ from }) : []
  const expected = uniteRanges(known, came)
  return countUids(expected) === selected.messages ? expected : searchAll(mailbox, selected)
}

/** Compares the flags of the messages that are known and there, one search a flag. */
async function compareFlags(mailbox: MailboxContext, selected: SelectedMailbox): Promise<number> {
  const { index } = mailbox
  const uids = index.uids()
  if (uids.length === 0) return 0
  const found = await searchFlags(mailbox, { index, selected, uids })
  const flags = new Map(
    [...found].map(([flag, having]) => [flag, intersectRanges(having, uids)] as const),
  )
  const { changed } = compare(index, { uids, flags })
  await storeFlagChanges(mailbox, changed)
  return changed.length
}

function storeCursor(
  { deps, account, row }: MailboxContext,
  cursor: Parameters<typeof saveCursor>[2],
): Promise<unknown> {
  return commit(deps, account.lease, (tx) => saveCursor(tx, row.id, cursor))
}
