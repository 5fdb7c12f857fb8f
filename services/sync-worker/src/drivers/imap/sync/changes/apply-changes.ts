import type { MessageFlags, SelectedMailbox, UidRange } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import type { NewEvent } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { commit } from '../../../../events/commit.ts'
import { messageDeleted, messageUpdated } from '../../events/mailbox-events.ts'
import { applyFlags, compare, removeUids } from '../../index/compare.ts'
import { splitNames } from '../../index/flag-names.ts'
import {
  type Difference,
  type FlagChange,
  type MailboxIndex,
  saveChunks,
} from '../../index/mailbox-index.ts'
import {
  batchesOf,
  countUids,
  intersectRanges,
  subtractRanges,
  uidsIn,
} from '../../index/ranges.ts'
import {
  markEmptied,
  raiseSyncEpoch,
  saveCursor,
  saveUidNext,
  type SyncCursor,
} from '../../../../store/mailbox-sync-state.ts'
import type { MailboxContext } from '../context.ts'
import type { SyncPlan } from '../sync-plan.ts'
import { searchFlags, storeNewLabels, withoutOwnLabel } from './flags.ts'
import { announceNew } from './ingest.ts'
import { findDeleted, joinRanges, listUids, recordList, type UidList } from './list-uids.ts'

/** Maximum events per transaction of a mailbox sync. The events take some hundred kilobytes. */
const batchSize = 500

/** Result of a sync of a mailbox. */
export interface SyncResult {
  /** True if the sync found and stored a difference between the mailbox and its index. */
  changed: boolean
  /** True if the mailbox must be synced again soon to confirm its new UIDVALIDITY. */
  unconfirmed: boolean
}

/** Finds and stores the deletions, flag changes and new messages of a mailbox, in this order. */
export async function applyChanges(
  mailbox: MailboxContext,
  selected: SelectedMailbox,
  { plan, announceFrom }: { plan: SyncPlan; announceFrom: Date | undefined },
): Promise<SyncResult> {
  const { index, row } = mailbox
  const { uidValidity } = selected
  const deltas = plan.flags === 'delta' ? await applyDeltas(mailbox) : 0
  const indexed = index.uids()
  const list = plan.uids ? await findUids(mailbox, selected, indexed) : completeList(indexed)
  if (!list) return { changed: (deltas ?? 0) > 0, unconfirmed: true }
  // During a gap (period with incomplete lists), the flags of unlisted messages were not compared.
  // All flags are compared when the gap ends.
  const endsGap = plan.uids && recordList(mailbox, row, { ...list, uidValidity })
  let count = deltas ?? 0
  for await (const removed of findDeleted(mailbox, row, { list, indexed })) {
    await storeDeletions(mailbox, removed)
    count += countUids(removed)
  }
  const compares = plan.flags === 'search' || deltas === undefined || endsGap
  if (compares) count += await compareFlags(mailbox, selected, list.uids)
  const added = subtractRanges(list.uids, indexed)
  await announceNew(mailbox, added, { announceFrom })
  await storeResult(mailbox, selected, list)
  return { changed: count + countUids(added) > 0, unconfirmed: false }
}

/** Stores UIDNEXT and HIGHESTMODSEQ of a mailbox, up to which the index equals the mailbox. */
async function storeResult(
  mailbox: MailboxContext,
  { uidNext, highestModseq }: SelectedMailbox,
  { isShort, exists }: UidList,
): Promise<void> {
  const { index, row, shortLists } = mailbox
  // The comparison after the initial sync leaves out messages before `announceFrom`, as do its
  // repetitions until a short list is accepted.
  if (isShort && row.syncedAt === null && !shortLists.acceptsFirst(row.id)) return
  const count = countUids(index.uids())
  // `messages` is null if the number of indexed messages equals the server's number by chance. The
  // equal number would hide that the server did not list all messages.
  const messages = isShort && count === exists ? null : count
  await storeCursor(mailbox, { ...defined({ uidNext, highestModseq }), messages })
}

/**
 * Sync of a mailbox with a fast index (without messages): announces messages from the stored
 * UIDNEXT on, and stores only the next UIDNEXT. Messages added or removed below UIDNEXT make no
 * difference. `changed` of the result is true if there was a new message.
 */
export async function applyNewMessages(
  mailbox: MailboxContext,
  selected: SelectedMailbox,
  announceFrom: Date | undefined,
): Promise<SyncResult> {
  const { deps, account, row, shortLists } = mailbox
  const from = Number(row.uidNext ?? 1)
  const added = selected.messages === 0 ? [] : await mailbox.session.searchUids({ from })
  await announceNew(mailbox, added, {
    announceFrom,
    onBatch: (uidNext) => commit(deps, account.lease, (tx) => saveUidNext(tx, row.id, uidNext)),
  })
  const last = added.at(-1)?.[1] ?? 0
  const uidNext = Math.max(selected.uidNext, from, last + 1)
  await storeCursor(mailbox, { uidNext, messages: selected.messages })
  shortLists.clear(row.id)
  return { changed: added.length > 0, unconfirmed: false }
}

/**
 * Reads the changes of a mailbox since the stored mod-sequence and stores the changes. Returns the
 * number of changed messages. Undefined if the server rejects the command for these changes.
 */
async function applyDeltas(mailbox: MailboxContext): Promise<number | undefined> {
  try {
    return await storeDeltas(mailbox, BigInt(mailbox.row.highestModseq ?? 0))
  } catch (error) {
    // Either the response to CHANGEDSINCE is too large, or the server rejects CHANGEDSINCE with BAD
    // although it reports mod-sequences (Yahoo).
    const isRefused =
      error instanceof AppError && (error.kind === 'unprocessable' || error.kind === 'rejected')
    if (!isRefused) throw error
    const { path } = mailbox.row
    mailbox.log.debug({ err: error, path }, 'falling back to full comparison')
    return undefined
  }
}

/**
 * Lists the UIDs in a mailbox on the server. Searches for all messages only if the indexed messages
 * and the messages from the stored UIDNEXT on do not add up to the server's number of messages.
 */
async function findUids(
  mailbox: MailboxContext,
  selected: SelectedMailbox,
  indexed: readonly UidRange[],
): Promise<UidList | undefined> {
  const { id } = mailbox.row
  const arrived = await findArrived(mailbox, selected)
  const expected = joinRanges(indexed, arrived)
  const addsUp = countUids(expected) === selected.messages
  if (addsUp && canAddUp(mailbox, selected, arrived)) return completeList(expected)
  const list = await listUids(mailbox, { id, verifies: indexed.length > 0 }, selected)
  return list?.isShort ? { ...list, uids: joinRanges(list.uids, arrived) } : list
}

async function findArrived(
  { row, session }: MailboxContext,
  { uidNext }: SelectedMailbox,
): Promise<UidRange[]> {
  const from = Number(row.uidNext ?? 0)
  const mayHaveNew = row.syncedAt !== null && from > 0 && uidNext > from
  return mayHaveNew ? session.searchUids({ from }) : []
}

/**
 * True if indexed and new messages are certainly all messages of a mailbox if their number is the
 * server's count. With a UID gap, a new message may be unlisted and another message deleted.
 */
function canAddUp(
  { row, shortLists }: MailboxContext,
  { uidNext }: SelectedMailbox,
  arrived: readonly UidRange[],
): boolean {
  const from = Number(row.uidNext ?? 0)
  if (row.syncedAt === null || row.messages === null || from === 0 || uidNext === 0) return false
  const hasAll =
    uidNext <= from || countUids(intersectRanges(arrived, [[from, uidNext - 1]])) === uidNext - from
  return hasAll && !shortLists.has(row.id)
}

function completeList(uids: readonly UidRange[]): UidList {
  return { uids, exists: countUids(uids), isShort: false }
}

/** Compares the flags of listed messages with the index, by one search per flag. */
async function compareFlags(
  mailbox: MailboxContext,
  selected: SelectedMailbox,
  listed: readonly UidRange[],
): Promise<number> {
  const { index } = mailbox
  const uids = intersectRanges(index.uids(), listed)
  if (uids.length === 0) return 0
  const result = await searchFlags(mailbox, { index, selected, uids })
  const flags = new Map(
    [...result].map(([flag, flagged]) => [flag, intersectRanges(flagged, uids)] as const),
  )
  const { changed } = compare(index, { uids, flags })
  await storeFlagChanges(mailbox, changed)
  return changed.length
}

function storeCursor({ deps, account, row }: MailboxContext, cursor: SyncCursor): Promise<unknown> {
  return commit(deps, account.lease, (tx) => saveCursor(tx, row.id, cursor))
}

/**
 * Reads the changes of a mailbox since a mod-sequence (RFC 7162). Stores the changes in batches
 * while the server sends them. Returns the number of deleted and changed messages.
 */
async function storeDeltas(mailbox: MailboxContext, since: bigint): Promise<number> {
  const { index, session } = mailbox
  let batch: MessageFlags[] = []
  let changes = 0
  const flush = async () => {
    changes += await storeFlags(mailbox, batch)
    batch = []
  }
  for await (const change of session.changesSince(since)) {
    if (change.kind === 'vanished') {
      // Only UIDs in the index count as deleted, because VANISHED may name UIDs that never existed.
      const deleted = intersectRanges(index.uids(), change.uids)
      if (deleted.length === 0) continue
      await flush()
      await storeDeletions(mailbox, deleted)
      changes += countUids(deleted)
    } else if (index.flagsOf(change.uid) && batch.push(change) >= batchSize) await flush()
  }
  await flush()
  return changes
}

/** Removes deleted messages from the index and records their `messageDeleted` events. */
async function storeDeletions(
  mailbox: MailboxContext,
  removed: readonly UidRange[],
): Promise<void> {
  const { account, row, index } = mailbox
  for (const batch of batchesOf(removed, batchSize)) {
    await store(mailbox, removeUids(index, batch), () =>
      [...uidsIn(batch)].map((uid) => messageDeleted(account, row, uid)),
    )
  }
}

/**
 * Stores flags and labels that the server reported for single messages. Ignores messages that are
 * not indexed, because the ingest of new messages stores their flags. Returns the number of changed
 * messages.
 */
export async function storeFlags(
  mailbox: MailboxContext,
  messages: readonly MessageFlags[],
): Promise<number> {
  const indexed = messages.filter(({ uid }) => mailbox.index.flagsOf(uid))
  const reported = withoutOwnLabel(mailbox.row, indexed)
  await storeNewLabels(mailbox, reported)
  const { changed } = applyFlags(mailbox.index, reported)
  await storeFlagChanges(mailbox, changed)
  return changed.length
}

/** Stores changed flags and labels, and records the `messageUpdated` events. */
async function storeFlagChanges(
  mailbox: MailboxContext,
  changed: readonly FlagChange[],
): Promise<void> {
  const { account, row, index } = mailbox
  for (let at = 0; at < changed.length; at += batchSize) {
    const batch = changed.slice(at, at + batchSize)
    const difference = applyFlags(
      index,
      batch.map(({ uid, value }) => ({ uid, ...splitNames(value) })),
    )
    await store(mailbox, difference, (syncEpoch) =>
      batch.map((change) => messageUpdated(account, row, { change, syncEpoch })),
    )
  }
}

/**
 * Stores a difference from the mailbox index, and its events, in one transaction. Then adopts the
 * difference in the index in memory.
 */
async function store(
  { deps, account, row, index, signal }: MailboxContext,
  { dirtyChunks }: Difference,
  eventsOf: (syncEpoch: string) => NewEvent[],
): Promise<void> {
  signal.throwIfAborted()
  await commit(deps, account.lease, async (tx, record) => {
    await saveChunks(tx, { mailbox: row.id, epoch: account.lease.epoch }, dirtyChunks)
    // Without `markEmptied`, an interruption would leave a row that counts messages without chunks,
    // which looks like a lost index.
    if (removesAll(index, dirtyChunks)) await markEmptied(tx, row.id)
    await record(eventsOf(await raiseSyncEpoch(tx, row.id)))
  })
  index.adopt(dirtyChunks)
}

function removesAll({ chunks }: MailboxIndex, dirtyChunks: Difference['dirtyChunks']): boolean {
  const isRemoved = (chunk: number) => dirtyChunks.has(chunk) && !dirtyChunks.get(chunk)
  return [...chunks.keys(), ...dirtyChunks.keys()].every(isRemoved)
}
