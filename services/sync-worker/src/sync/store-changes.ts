import type { MessageFlags, UidRange } from '@posthorn/backends'
import type { NewEvent } from '@posthorn/db'
import { commit } from '../events/commit.ts'
import { messageDeleted, messageUpdated } from '../events/message-changes.ts'
import { applyFlags, removeUids } from '../index/compare.ts'
import type { Difference, FlagChange } from '../index/mailbox-index.ts'
import { batchesOf, uidsIn } from '../index/ranges.ts'
import { saveChunks } from '../store/chunks.ts'
import { raiseSyncEpoch } from '../store/mailboxes.ts'
import type { OpenMailbox } from './context.ts'

/** Events a transaction: some hundred kilobytes. */
const batchSize = 500

/** Tells of messages that are gone and forgets them. */
export async function storeDeletions(
  mailbox: OpenMailbox,
  removed: readonly UidRange[],
): Promise<void> {
  const { account, row, index } = mailbox
  for (const batch of batchesOf(removed, batchSize)) {
    await store(mailbox, removeUids(index, batch), () =>
      [...uidsIn(batch)].map((uid) => messageDeleted(account, row, uid)),
    )
  }
}

/** Tells of flags that changed and remembers them. */
export async function storeFlagChanges(
  mailbox: OpenMailbox,
  changed: readonly FlagChange[],
): Promise<void> {
  const { account, row, index } = mailbox
  for (let at = 0; at < changed.length; at += batchSize) {
    const batch = changed.slice(at, at + batchSize)
    const difference = applyFlags(
      index,
      batch.map(({ uid, value }) => ({ uid, flags: value })),
    )
    await store(mailbox, difference, (syncEpoch) =>
      batch.map((change) => messageUpdated(account, row, { change, syncEpoch })),
    )
  }
}

/** Asks what changed since a mod-sequence and stores it piece by piece. Returns how many messages had other flags than was known. */
export async function storeDeltas(mailbox: OpenMailbox, since: bigint): Promise<number> {
  const { index, session } = mailbox
  const batch: MessageFlags[] = []
  for await (const message of session.changedFlags(since)) {
    // New messages come with their own announcement.
    if (index.flagsOf(message.uid)) batch.push(message)
  }
  let changes = 0
  for (let at = 0; at < batch.length; at += batchSize) {
    const { changed } = applyFlags(index, batch.slice(at, at + batchSize))
    await storeFlagChanges(mailbox, changed)
    changes += changed.length
  }
  return changes
}

/** A difference and its events in one transaction; known to be so once that is through. */
async function store(
  { deps, account, row, index, signal }: OpenMailbox,
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
