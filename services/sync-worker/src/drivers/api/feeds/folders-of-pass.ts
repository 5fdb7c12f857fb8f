import type { NamedFolder } from '@posthorn/db'
import { folderEvents } from '../events/feed-events.ts'
import { mergeFolders } from '../events/folder-names.ts'
import type { FeedPass } from './feed-pass.ts'
import type { FeedState } from './stored/feed-store.ts'
import type { FollowedFeed } from './run-rounds.ts'
import { needsRound } from './sync-feed.ts'

/**
 * Lists the feeds whose first full round (list of all messages) is not complete. Either the
 * provider refuses their folders, or the sync pass did not run their rounds.
 */
export async function listIncomplete({ store }: FeedPass): Promise<FeedState[]> {
  const feeds = await store.listFeeds()
  return feeds.filter(needsRound).map((state) => ({ ...state, isInitial: true }))
}

/**
 * Stores the names of folders and the events of changed folders. Also stores the feeds (lists of
 * changes) of new folders, before any messages of these folders are stored.
 */
export async function storeFolders(
  { account, writer }: FeedPass,
  change: { before: NamedFolder[]; named: NamedFolder[]; created: readonly FollowedFeed[] },
): Promise<void> {
  const { before, named, created } = change
  const isRenamed = JSON.stringify(named) !== JSON.stringify(before)
  if (!isRenamed && created.length === 0) return
  // If the whole message index was lost, `mailboxReset` events replace the events of changed
  // folders.
  const isLost = before.length === 0 && writer.mailbox.announceFrom !== null
  const events = isLost ? [] : folderEvents({ account, epoch: writer.nextEpoch }, before, named)
  await writer.commit({ folders: named, feeds: created.map(({ state }) => state), events })
}

/**
 * Stores that folders were deleted, and records the events of the deletions. The caller then ends
 * the feeds (lists of changes) of the deleted folders.
 */
export async function storeMissing(
  { account, names, store, writer }: FeedPass,
  missing: ReadonlySet<string>,
): Promise<void> {
  const before = await store.listFolders()
  const remaining = before.filter(({ id, former }) => !former && !missing.has(id))
  const named = mergeFolders(before, remaining)
  const events = folderEvents({ account, epoch: writer.nextEpoch }, before, named)
  await writer.commit({ folders: named, events })
  names.remove(missing)
}
