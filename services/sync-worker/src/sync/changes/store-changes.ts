import type { MessageFlags, UidRange } from '@posthorn/backends'
import type { NewEvent } from '@posthorn/db'
import { commit } from '../../events/commit.ts'
import { messageDeleted, messageUpdated } from '../../events/message-changes.ts'
import { applyFlags, removeUids } from '../../index/compare.ts'
import { splitNames } from '../../index/labels.ts'
import type { Difference, FlagChange } from '../../index/mailbox-index.ts'
import { batchesOf, countUids, intersectRanges, uidsIn } from '../../index/ranges.ts'
import { saveChunks } from '../../store/chunks.ts'
import { raiseSyncEpoch } from '../../store/mailboxes.ts'
import type { MailboxContext } from '../context.ts'
import { storeNewLabels, withoutOwnLabel } from './labels.ts'

/** Events a transaction: some hundred kilobytes. */
const batchSize = 500

/** Tells of messages that are gone and forgets them. */
export async function storeDeletions(
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

/** Tells of flags and labels that changed and remembers them. */
export async function storeFlagChanges(
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
 * Asks what changed since a mod-sequence and stores it piece by piece, as it comes. Returns how many messages were gone or had other
 * flags than was known.
 */
export async function storeDeltas(mailbox: MailboxContext, since: bigint): Promise<number> {
  const { index, session } = mailbox
  let batch: MessageFlags[] = []
  let changes = 0
  const flush = async () => {
    changes += await storeFlags(mailbox, batch)
    batch = []
  }
  for await (const change of session.changesSince(since)) {
    if (change.kind === 'vanished') {
      // Servers name UIDs that never were, and ranges of any size: what counts is what we know.
      const gone = intersectRanges(index.uids(), change.uids)
      if (gone.length === 0) continue
      await flush()
      await storeDeletions(mailbox, gone)
      changes += countUids(gone)
    } else if (index.flagsOf(change.uid) && batch.push(change) >= batchSize) await flush()
  }
  await flush()
  return changes
}

/** Takes in what the server says of the flags and labels of single messages. New ones are left out: they come with their own announcement. */
export async function storeFlags(
  mailbox: MailboxContext,
  messages: readonly MessageFlags[],
): Promise<number> {
  const there = messages.filter(({ uid }) => mailbox.index.flagsOf(uid))
  const known = withoutOwnLabel(mailbox.row, there)
  await storeNewLabels(mailbox, known)
  const { changed } = applyFlags(mailbox.index, known)
  await storeFlagChanges(mailbox, changed)
  return changed.length
}

/** A difference and its events in one transaction; known to be so once that is through. */
async function store(
  { deps, account, row, index, signal }: MailboxContext,
  { dirtyChunks }: Difference,
  eventsOf: (syncEpoch: string) => NewEvent[],
): Promise<void> {
  signal.throwIfAborted()
  await commit(deps, account.lease, async (tx, record) => {
    await saveChunks(tx, { mailbox: row.id, epoch: account.lease.epoch }, dirtyChunks)
    await record(eventsOf(await raiseSyncEpoch(tx, row.id)))
  })
  index.adopt(dirtyChunks)
}
