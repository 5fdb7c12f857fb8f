import type { SelectedMailbox, UidRange } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { commit, type RecordEvents } from '../../events/commit.ts'
import { mailboxNew, mailboxReset } from '../../events/mailbox.ts'
import { compare } from '../../index/compare.ts'
import { type Difference, MailboxIndex } from '../../index/mailbox-index.ts'
import { countUids, intersectRanges, subtractRanges } from '../../index/ranges.ts'
import { deleteChunks, saveChunks } from '../../store/chunks.ts'
import { type MailboxRow, markIndexed, markReset, saveCursor } from '../../store/mailboxes.ts'
import { allocateMailboxNumbers } from '../../store/account-states.ts'
import type { SyncContext } from '../context.ts'
import { toEmptyMailbox } from './empty-mailboxes.ts'
import { lostUidValidity } from '../mailbox-list/mailbox-list.ts'
import { searchFlags } from './search-flags.ts'

const dayMs = 86_400_000

/**
 * The first look at a mailbox: remembers what is there already, silently, and tells that the mailbox was found. What is to be announced
 * is left out: to the comparison that follows it is new, now or after a crash.
 */
export async function initialSync(
  context: SyncContext,
  row: MailboxRow,
  { selected, announceFrom }: { selected: SelectedMailbox; announceFrom: Date | undefined },
): Promise<MailboxRow> {
  const empty = toEmptyMailbox(context, row, selected)
  if (empty) {
    const { deps, account } = context
    const filled = await deps.indexEmpty({ lease: account.lease, account, mailboxes: [empty] })
    const known = filled.get(row.id)
    if (!known) throw new AppError('unavailable', 'Somebody else looked at the mailbox meanwhile')
    return known
  }
  const all = await searchAll(context, selected)
  const announced = announceFrom ? await searchSince(context, all, announceFrom) : all
  return fillIndex(context, row, {
    selected,
    all,
    uids: subtractRanges(all, announced),
    uidNext: announced[0]?.[0] ?? Math.max(selected.uidNext, (all.at(-1)?.[1] ?? 0) + 1),
    // Where its UIDVALIDITY is known it was told of before.
    tell: async (record, filled) =>
      row.uidValidity === null || row.idsOnly
        ? record([mailboxNew(context.account, filled)])
        : undefined,
  })
}

/**
 * Remembers what was in a mailbox when its ids were voided. Silent: its `mailboxReset` was told. What came after that is left out, to be
 * announced: whoever listed the mailbox anew on hearing of the reset may not have seen it.
 */
export async function rebuildIndex(
  context: SyncContext,
  row: MailboxRow,
  selected: SelectedMailbox,
): Promise<MailboxRow> {
  const all = await searchAll(context, selected)
  const uidNext = Number(row.uidNext ?? 0)
  return fillIndex(context, row, {
    selected,
    all,
    // A server that does not say UIDNEXT leaves us no way to tell.
    uids: uidNext === 0 ? all : uidNext === 1 ? [] : intersectRanges(all, [[1, uidNext - 1]]),
    uidNext: uidNext === 0 ? (all.at(-1)?.[1] ?? 0) + 1 : uidNext,
    tell: () => Promise.resolve(),
  })
}

/** Voids the ids of a mailbox and says so. */
export async function resetMailbox(
  { deps, account }: Pick<SyncContext, 'deps' | 'account'>,
  row: MailboxRow,
  { uidValidity, uidNext }: Pick<SelectedMailbox, 'uidValidity' | 'uidNext'>,
): Promise<MailboxRow> {
  const before = row.uidValidity
  const changed = before !== null && before !== lostUidValidity && before !== String(uidValidity)
  return commit(deps, account.lease, async (tx, record) => {
    const [number = 0] = await allocateMailboxNumbers(tx, account.account, { count: 1 })
    await deleteChunks(tx, row.id)
    const voided = await markReset(tx, row.id, { number, uidValidity, uidNext })
    await record([
      mailboxReset(account, voided, {
        reason: changed ? 'uidValidityChange' : 'syncStateLost',
        previous: changed ? before : false,
      }),
    ])
    return voided
  })
}

interface IndexContent {
  selected: SelectedMailbox
  /** What there is. */
  all: readonly UidRange[]
  /** What of it is remembered. */
  uids: readonly UidRange[]
  /** Where announcing begins, for an index that remembers nothing else. */
  uidNext: number
  tell: (record: RecordEvents, filled: MailboxRow) => Promise<void>
}

async function fillIndex(
  context: SyncContext,
  row: MailboxRow,
  { selected, all, uids, uidNext, tell }: IndexContent,
): Promise<MailboxRow> {
  const { deps, account } = context
  const fast = row.indexer === 'fast'
  const { uidValidity, highestModseq } = selected
  const dirtyChunks = fast ? new Map() : await buildChunks(context, selected, uids)
  const messages = countUids(all)
  // Nothing is to be announced: that was all of it.
  const complete = countUids(uids) === messages
  const remembered = await commit(deps, account.lease, async (tx, record) => {
    await deleteChunks(tx, row.id)
    await saveChunks(tx, { mailbox: row.id, epoch: account.lease.epoch }, dirtyChunks)
    const filled = await markIndexed(tx, row.id, {
      uidValidity,
      ...(fast ? { uidNext } : {}),
      ...(highestModseq === undefined || fast ? {} : { highestModseq }),
    })
    await tell(record, filled)
    if (!complete) return filled
    return saveCursor(tx, row.id, {
      uidNext: fast ? uidNext : selected.uidNext,
      messages,
      ...(highestModseq === undefined ? {} : { highestModseq }),
    })
  })
  if (!fast) deps.metrics.indexed(countUids(uids))
  return remembered
}

async function buildChunks(
  context: SyncContext,
  selected: SelectedMailbox,
  uids: readonly UidRange[],
): Promise<Difference['dirtyChunks']> {
  const empty = new MailboxIndex()
  const flags =
    uids.length > 0
      ? await searchFlags(context, { index: empty, selected, uids })
      : new Map<string, UidRange[]>()
  return compare(empty, { uids, flags }).dirtyChunks
}

export async function searchAll(
  { session }: SyncContext,
  { messages }: { messages: number },
): Promise<UidRange[]> {
  return messages === 0 ? [] : session.searchUids({ all: true })
}

/** What came since, or a day before: the server compares days in a time zone of its own. Those too old are sorted out when they are fetched. */
async function searchSince(
  { session }: SyncContext,
  all: readonly UidRange[],
  since: Date,
): Promise<UidRange[]> {
  if (all.length === 0) return []
  try {
    const found = await session.searchUids({
      since: new Date(Math.max(since.getTime() - dayMs, 0)),
    })
    return intersectRanges(all, found)
  } catch (error) {
    // A server that cannot search by date: every message is looked at once.
    if (error instanceof AppError && error.kind === 'rejected') return [...all]
    throw error
  }
}
