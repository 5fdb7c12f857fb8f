import { type ApiTexts, type Feed, isMailApiError } from '@posthorn/backends/mail-api'
import { groupSize, maxGets, maxTextsBytes } from '../messages/get-messages.ts'
import type { FeedState } from './stored/feed-store.ts'
import type { FeedInPass, FeedPass, PassParts, UnreportedMessage } from './feed-pass.ts'
import { FolderFailure } from './parked-feeds.ts'
import { getGroup } from './read-messages.ts'
import { indexPart } from './stored/stored-index.ts'
import { type ReadFeed, readChanges } from './sync-feed.ts'

/** End of reading feeds. */
export interface ReadEnd {
  /** Time of the pass, to be stored with the cursors. */
  syncedAt?: Date
  /** Selects the states to store now, of feeds whose cursors moved without a change. */
  hold?: (moved: readonly FeedState[]) => readonly FeedState[]
}

/**
 * Reads the changes of feeds. The cursors of feeds without changes are stored with one commit,
 * which `end` is part of, also after a failure: providers drop old cursors. Returns the new states
 * of the feeds that could be read.
 */
export async function readFeeds(
  pass: FeedPass,
  feeds: readonly FeedInPass[],
  { hold, ...end }: ReadEnd = {},
): Promise<Map<string, FeedState>> {
  const states = new Map<string, FeedState>()
  const moved: FeedState[] = []
  try {
    for (const { feed, state } of feeds) {
      if (!pass.mayRead(feed)) continue
      const read = await readNext(pass, { feed, state })
      if (read) states.set(feed.id, read.state)
      if (read && !read.isStored) moved.push(read.state)
    }
  } catch (error) {
    if (moved.length > 0) await pass.writer.commit({ feeds: moved }).catch(() => undefined)
    throw error
  }
  const due = hold ? hold(moved) : moved
  if (due.length > 0 || end.syncedAt) await pass.writer.commit({ feeds: due, ...end })
  return states
}

/** Reads the changes of a feed. A feed whose full round is due needs no request here. */
async function readNext(pass: FeedPass, at: FeedInPass): Promise<ReadFeed | undefined> {
  const { feed, state } = at
  if (state.stage !== 'follow' || state.cursor === null) return { state, isStored: true }
  return attempt(pass, feed, () => readChanges(pass, at))
}

/**
 * Reads a feed. Undefined if the folder of the feed was deleted during the read: the next pass
 * drops the feed. Also undefined if the provider refuses to read the folder.
 */
export async function attempt<T>(
  pass: FeedPass,
  feed: Feed,
  reading: () => Promise<T>,
): Promise<T | undefined> {
  try {
    const result = await ignoreMissing(reading())
    pass.reportRead(feed)
    return result
  } catch (error) {
    if (!(error instanceof FolderFailure)) throw error
    pass.reportRefusal(feed, error.failure)
    return undefined
  }
}

/** Waits for a read of a folder. Undefined if the folder was deleted. */
async function ignoreMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isMailApiError(error, 'folder-missing')) return undefined
    throw error
  }
}

/**
 * Ids of the folders that a pass over parts of a mailbox reads. A message that is not indexed is
 * requested, because notifications do not name its folder. The copy of such a message is kept for
 * the feed, which decides.
 *
 * Undefined if all folders have to be read. That is required if a message is in a folder that is
 * not listed, or that was renamed or moved after the listing. All folders are also read if the
 * texts of the messages are too large to keep.
 */
export async function findFolders(
  pass: FeedPass,
  { messages, specialUses, otherwiseAll }: PassParts,
): Promise<ReadonlySet<string> | undefined> {
  const { index, names, now, store } = pass
  const folders = new Set(specialUses.flatMap((use) => names.findByUse(use)?.id ?? []))
  // No synced folder has these special uses if the account's paths select other folders.
  if (otherwiseAll && folders.size === 0) return undefined
  const [pending, { states }] = await Promise.all([
    store.listDuePending(now(), maxGets),
    index.load(indexPart, [...messages.keys()]),
  ])
  for (const { folder } of pending) if (folder !== null) folders.add(folder)
  for (const folder of pass.dueFolders) folders.add(folder)
  for (const { folderId } of states.values()) if (folderId !== undefined) folders.add(folderId)
  const unknown = [...messages.keys()].filter((id) => !messages.get(id) && !states.has(id))
  if (!(await readNotified(pass, unknown))) return undefined
  const arrivals = await findArrivals(pass)
  return arrivals && new Set([...folders, ...arrivals])
}

/**
 * Ids of folders that contain the messages named in notifications. Undefined if the list of folders
 * is not up to date.
 */
async function findArrivals(pass: FeedPass): Promise<ReadonlySet<string> | undefined> {
  const { copies, names } = pass
  const folders = new Set<string>()
  for (const { folderId = '' } of copies.values())
    if (names.isListed(folderId)) folders.add(folderId)
    else if (!names.isKnown(folderId)) return undefined
  for (const id of folders) if (!(await isInPlace(pass, id))) return undefined
  return folders
}

/** False if a folder was renamed, moved or deleted after the listing. */
async function isInPlace({ api, names, signal }: FeedPass, folderId: string): Promise<boolean> {
  if (!api.folderPlace || !names.canMove(folderId)) return true
  const place = await ignoreMissing(api.folderPlace(folderId, signal))
  return place !== undefined && names.isAt(folderId, place)
}

/** Reads and keeps copies of notified messages. False, without copies, if copies are too large. */
async function readNotified(pass: FeedPass, ids: readonly string[]): Promise<boolean> {
  const { copies, drafter } = pass
  if (ids.length > maxGets) return false
  const options = await drafter.getOptions()
  const size = groupSize(options)
  let length = 0
  for (let from = 0; from < ids.length; from += size) {
    const { messages } = await getGroup(pass, ids.slice(from, from + size), options)
    for (const message of messages) copies.set(message.id, message)
    length += messages.reduce((sum, { texts = {} }) => sum + textLength(texts), 0)
    if (length > maxTextsBytes) {
      copies.clear()
      return false
    }
  }
  return true
}

function textLength({ plain = '', html = '' }: ApiTexts): number {
  return plain.length + html.length
}

/** Finds notified messages that no feed reported, without folders that are not synced. */
export async function findUnreported(
  { copies, index, names, report }: FeedPass,
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
