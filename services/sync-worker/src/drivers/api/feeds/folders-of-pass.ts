import type { NamedFolder } from '@posthorn/db'
import { folderEvents } from '../events/feed-events.ts'
import { mergeFolders } from '../events/folder-names.ts'
import type { FeedPass } from './feed-pass.ts'
import type { FeedState } from './stored/feed-store.ts'
import type { FollowedFeed } from './run-rounds.ts'
import { needsRound } from './sync-feed.ts'

/**
 * Feeds whose first full round is not complete, because the provider refuses their
 * folders, or because the sync pass left their rounds out.
 */
export async function listIncomplete({ store }: FeedPass): Promise<FeedState[]> {
  const feeds = await store.listFeeds()
  return feeds.filter(needsRound).map((state) => ({ ...state, isInitial: true }))
}

/**
 * Stores the names of folders with their events, and feeds of new folders before the folders'
 * messages.
 */
export async function storeFolders(
  { account, writer }: FeedPass,
  change: { before: NamedFolder[]; named: NamedFolder[]; created: readonly FollowedFeed[] },
): Promise<void> {
  const { before, named, created } = change
  const isRenamed = JSON.stringify(named) !== JSON.stringify(before)
  if (!isRenamed && created.length === 0) return
  // After a loss of the whole message index, mailboxReset replaces the events of folders.
  const isLost = before.length === 0 && writer.mailbox.announceFrom !== null
  const events = isLost ? [] : folderEvents({ account, epoch: writer.nextEpoch }, before, named)
  await writer.commit({ folders: named, feeds: created.map(({ state }) => state), events })
}

/**
 * Stores that folders were deleted, with their events. The caller then drops the feeds of the
 * folders.
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
