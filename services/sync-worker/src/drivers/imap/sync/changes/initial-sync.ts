import type { SelectedMailbox, UidRange } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import {
  commit,
  commitBatched,
  type CommitDeps,
  type RecordEvents,
} from '../../../../events/commit.ts'
import { mailboxNew, mailboxReset } from '../../events/mailbox-events.ts'
import { compare } from '../../index/compare.ts'
import { type Difference, MailboxIndex, saveChunks } from '../../index/mailbox-index.ts'
import { countUids, intersectRanges, subtractRanges } from '../../index/ranges.ts'
import { undefinedIf } from '../../../messages/undefined-if.ts'
import { allocateMailboxNumbers } from '../../../../store/account-states.ts'
import { deleteChunks } from '../../../../store/chunks.ts'
import {
  type EmptyMailbox,
  markEmpty,
  markIndexed,
  markReset,
  saveCursor,
} from '../../../../store/mailbox-sync-state.ts'
import type { MailboxRow } from '../../../../store/mailboxes.ts'
import type { EmptyMailboxes, IndexEmpty, SyncContext } from '../context.ts'
import { lostUidValidity } from '../mailbox-list/list-plan.ts'
import type { Counters } from '../sync-plan.ts'
import { searchFlags } from './flags.ts'
import { listUids, recordList } from './list-uids.ts'

const dayMs = 86_400_000

/**
 * First sync of a mailbox: fills the mailbox index and records `mailboxNew`. Messages to announce
 * are not added to the index, so that the comparison that follows finds them as new messages, even
 * after a crash. Returns undefined if the server's list of messages is incomplete.
 */
export async function initialSync(
  context: SyncContext,
  row: MailboxRow,
  { selected, announceFrom }: { selected: SelectedMailbox; announceFrom: Date | undefined },
): Promise<MailboxRow | undefined> {
  const { deps, account } = context
  const empty = toEmptyMailbox(context, row, selected)
  if (empty) {
    const rows = await deps.indexEmpty({ lease: account.lease, account, mailboxes: [empty] })
    const indexed = rows.get(row.id)
    if (!indexed) throw new AppError('unavailable', 'Another connection synced the mailbox, retry')
    return indexed
  }
  const all = await listFirst(context, row, selected)
  if (!all) return undefined
  const announced = announceFrom ? await searchSince(context, all, announceFrom) : all
  return fillIndex(context, row, {
    selected,
    all,
    uids: subtractRanges(all, announced),
    uidNext: announced[0]?.[0] ?? Math.max(selected.uidNext, (all.at(-1)?.[1] ?? 0) + 1),
    // If a synced mailbox has a stored UIDVALIDITY, its `mailboxNew` was recorded before.
    isAnnounced: row.uidValidity !== null && !row.idsOnly,
  })
}

/**
 * Fills the index of a mailbox after a reset (invalidation of message ids) that recorded
 * `mailboxReset`. Messages that arrived after the reset are not added to the index, so that they
 * are announced: a client that listed the mailbox because of the event may not have seen these
 * messages. Returns undefined if the server's list of messages is incomplete.
 */
export async function rebuildIndex(
  context: SyncContext,
  row: MailboxRow,
  selected: SelectedMailbox,
): Promise<MailboxRow | undefined> {
  const all = await listFirst(context, row, selected)
  if (!all) return undefined
  const uidNext = Number(row.uidNext ?? 0)
  const { uids, nextUid } =
    // Without a stored UIDNEXT, messages that arrived after the reset of message ids cannot be
    // distinguished, so all messages are indexed.
    uidNext === 0
      ? { uids: all, nextUid: (all.at(-1)?.[1] ?? 0) + 1 }
      : { uids: uidNext === 1 ? [] : intersectRanges(all, [[1, uidNext - 1]]), nextUid: uidNext }
  return fillIndex(context, row, { selected, all, uids, uidNext: nextUid, isAnnounced: true })
}

/**
 * Lists the messages that fill the index of a mailbox. Undefined for a short list in the first
 * minute. After that, a short list is accepted, and the messages that are missing in the list are
 * announced later.
 */
async function listFirst(
  context: SyncContext,
  row: MailboxRow,
  selected: SelectedMailbox,
): Promise<readonly UidRange[] | undefined> {
  const list = await listUids(context, row, selected)
  if (!list) return undefined
  recordList(context, row, { ...list, uidValidity: selected.uidValidity })
  return !list.isShort || context.shortLists.acceptsFirst(row.id) ? list.uids : undefined
}

/** Invalidates all message ids of a mailbox and records its `mailboxReset`. */
export async function resetMailbox(
  { deps, account }: Pick<SyncContext, 'deps' | 'account'>,
  row: MailboxRow,
  { uidValidity, uidNext }: Pick<SelectedMailbox, 'uidValidity' | 'uidNext'>,
): Promise<MailboxRow> {
  const before = row.uidValidity
  const isChanged = before !== null && before !== lostUidValidity && before !== String(uidValidity)
  return commit(deps, account.lease, async (tx, record) => {
    const [number = 0] = await allocateMailboxNumbers(tx, account.account, { count: 1 })
    await deleteChunks(tx, row.id)
    const voided = await markReset(tx, row.id, { number, uidValidity, uidNext })
    const reason = isChanged ? 'uidValidityChange' : 'syncStateLost'
    await record([
      mailboxReset(account, voided, { reason, ...(isChanged && { previous: before }) }),
    ])
    return voided
  })
}

interface IndexContent {
  selected: SelectedMailbox
  /** UIDs of all messages in the mailbox on the server. */
  all: readonly UidRange[]
  /** UIDs of the messages with which the mailbox index is filled. */
  uids: readonly UidRange[]
  /** Lowest UID of the messages to announce. Stored for a fast index (without messages). */
  uidNext: number
  isAnnounced: boolean
}

async function fillIndex(
  context: SyncContext,
  row: MailboxRow,
  { selected, all, uids, uidNext, isAnnounced }: IndexContent,
): Promise<MailboxRow> {
  const { deps, account } = context
  const isFast = row.indexer === 'fast'
  const { uidValidity, highestModseq } = selected
  const dirtyChunks = isFast ? new Map() : await buildChunks(context, selected, uids)
  const messages = countUids(all)
  const isComplete = countUids(uids) === messages
  const announce = (record: RecordEvents, indexed: MailboxRow) =>
    isAnnounced ? undefined : record([mailboxNew(account, indexed)])
  const result = await commit(deps, account.lease, async (tx, record) => {
    await deleteChunks(tx, row.id)
    await saveChunks(tx, { mailbox: row.id, epoch: account.lease.epoch }, dirtyChunks)
    const indexed = await markIndexed(
      tx,
      row.id,
      isFast ? { uidValidity, uidNext } : defined({ uidValidity, highestModseq }),
    )
    await announce(record, indexed)
    if (!isComplete) return indexed
    return saveCursor(
      tx,
      row.id,
      defined({ uidNext: isFast ? uidNext : selected.uidNext, messages, highestModseq }),
    )
  })
  if (!isFast) deps.metrics.indexed(countUids(uids))
  return result
}

async function buildChunks(
  context: SyncContext,
  selected: SelectedMailbox,
  uids: readonly UidRange[],
): Promise<Difference['dirtyChunks']> {
  const index = new MailboxIndex()
  const flags =
    uids.length > 0
      ? await searchFlags(context, { index, selected, uids })
      : new Map<string, UidRange[]>()
  return compare(index, { uids, flags }).dirtyChunks
}

/**
 * Searches for the messages that arrived since a date. The search starts the day before the date,
 * because servers compare dates in their own time zone. The ingest stores messages that are too old
 * without events.
 */
async function searchSince(
  { session }: SyncContext,
  all: readonly UidRange[],
  since: Date,
): Promise<UidRange[]> {
  if (all.length === 0) return []
  const from = new Date(Math.max(since.getTime() - dayMs, 0))
  const recent = await undefinedIf(session.searchUids({ since: from }), 'rejected')
  // If the server rejects searches by date, all messages are returned, and the ingest checks the
  // date of each message.
  return recent ? intersectRanges(all, recent) : [...all]
}

/** Creates the initial sync of empty mailboxes, with many accounts in one transaction. */
export function indexEmptyMailboxes(deps: CommitDeps): IndexEmpty {
  return commitBatched<EmptyMailboxes, ReadonlyMap<string, MailboxRow>>(deps, async (tx, items) => {
    const mailboxes = items.flatMap(({ item }) => item.mailboxes)
    const indexed = new Map((await markEmpty(tx, mailboxes)).map((row) => [row.id, row]))
    return items.map(({ item }) => {
      const rows = item.mailboxes.flatMap(({ id }) => indexed.get(id) ?? [])
      const events = rows.map((row) => mailboxNew(item.account, row))
      return { result: new Map(rows.map((row) => [row.id, row])), events }
    })
  })
}

/** True if the mailbox has no index and no recorded `mailboxNew`. */
export function isNeverSynced({ uidValidity, flagsComplete }: MailboxRow): boolean {
  return uidValidity === null && !flagsComplete
}

/** Counters of a mailbox that was never synced and is empty. Undefined for other mailboxes. */
export function toEmptyMailbox(
  { session }: Pick<SyncContext, 'session'>,
  row: MailboxRow,
  { uidValidity, uidNext, messages, highestModseq }: Counters,
): EmptyMailbox | undefined {
  // Without UIDNEXT, messages that arrive later could not be recognized as new.
  if (!isNeverSynced(row) || messages > 0 || uidNext === 0 || uidValidity <= 0n) return undefined
  const modseq = session.capabilities.condstore ? highestModseq : undefined
  return defined({ id: row.id, uidValidity, uidNext, highestModseq: modseq })
}
