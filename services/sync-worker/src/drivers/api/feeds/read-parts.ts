import { type Feed, isMailApiError } from '@posthorn/backends/mail-api'
import type { FeedState } from './feed-store.ts'
import type { PassParts, UnreportedMessage } from './pass.ts'
import { type FeedContext, maxGets } from './read-messages.ts'
import { indexPart } from './stored-index.ts'
import { readChanges } from './sync-feed.ts'

/**
 * Reads the changes of feeds. The cursors of those without changes are stored with one commit,
 * which `end` is part of, also after a failure: providers drop old ones. Returns the new states,
 * none for feeds whose folder was deleted meanwhile.
 */
export async function readFeeds(
  context: FeedContext,
  feeds: readonly { feed: Feed; state: FeedState }[],
  end: { syncedAt?: Date } = {},
): Promise<Map<string, FeedState>> {
  const states = new Map<string, FeedState>()
  const moved: FeedState[] = []
  try {
    for (const { feed, state } of feeds) {
      const read = await ignoreMissing(readChanges({ ...context, feed }, state))
      if (read) states.set(feed.id, read.state)
      if (read && !read.isStored) moved.push(read.state)
    }
  } catch (error) {
    if (moved.length > 0) await context.writer.commit({ feeds: moved }).catch(() => undefined)
    throw error
  }
  if (moved.length > 0 || end.syncedAt) await context.writer.commit({ feeds: moved, ...end })
  return states
}

/** Undefined if the folder of a feed was deleted meanwhile: the next pass drops the feed. */
export async function ignoreMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isMailApiError(error, 'folder-missing')) return undefined
    throw error
  }
}

/**
 * Ids of the folders that a pass over parts of a mailbox reads. A message that is not indexed is
 * requested, because notifications do not name its folder; its copy is kept for the feed, which
 * decides. Undefined if all folders have to be read: a message is in one that is not listed.
 */
export async function findFolders(
  context: FeedContext,
  { messages, specialUses }: PassParts,
): Promise<ReadonlySet<string> | undefined> {
  const { index, names, now, store } = context
  const folders = new Set(specialUses.flatMap((use) => names.findByUse(use)?.id ?? []))
  // The account selects other folders.
  if (specialUses.length > 0 && folders.size === 0) return undefined
  const [pending, { states }] = await Promise.all([
    store.listDuePending(now(), maxGets),
    index.load(indexPart, [...messages.keys()]),
  ])
  for (const { folder } of pending) if (folder !== null) folders.add(folder)
  for (const { folderId } of states.values()) if (folderId !== undefined) folders.add(folderId)
  const unknown = [...messages.keys()].filter((id) => !messages.get(id) && !states.has(id))
  if (unknown.length > maxGets) return undefined
  await readNoticed(context, unknown)
  for (const { folderId } of context.copies.values())
    if (names.isListed(folderId)) folders.add(folderId ?? '')
    else if (!names.isKnown(folderId)) return undefined
  return folders
}

async function readNoticed(
  { api, copies, drafter, signal }: FeedContext,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  for (const message of await api.getMessages(ids, await drafter.getOptions(), signal))
    copies.set(message.id, message)
}

/** Noticed messages that no feed reported, without those in folders that are not synced. */
export async function findUnreported(
  { copies, index, names, report }: FeedContext,
  messages: PassParts['messages'],
): Promise<UnreportedMessage[]> {
  const isSynced = (id: string) => {
    const copy = copies.get(id)
    return !copy || names.isListed(copy.folderId)
  }
  const ids = [...messages.keys()].filter((id) => !report.has(id) && isSynced(id))
  if (ids.length === 0) return []
  const { states } = await index.load(indexPart, ids)
  return ids.flatMap((id) => {
    const isNew = !states.has(id)
    return isNew && messages.get(id) === true ? [] : { id, isNew }
  })
}
