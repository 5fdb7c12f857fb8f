import { type ApiTexts, type Feed, isMailApiError } from '@posthorn/backends/mail-api'
import { groupSize, maxGets, maxTextsBytes } from '../messages/get-messages.ts'
import type { FeedState } from './stored/feed-store.ts'
import type { FeedInPass, FeedPass, PassParts, UnreportedMessage } from './feed-pass.ts'
import { FolderFailure } from './parked-feeds.ts'
import { getGroup } from './read-messages.ts'
import { indexPart } from './stored/stored-index.ts'
import { type ReadFeed, readChanges } from './sync-feed.ts'

/** Data and callback for the commit after all feeds (lists of changes) were read. */
export interface ReadEnd {
  /** Time of the sync pass. Stored together with the cursors of the feeds (lists of changes). */
  syncedAt?: Date
  /**
   * Receives the new states of feeds (lists of changes) that had no changes. Returns the states to
   * store now.
   */
  hold?: (moved: readonly FeedState[]) => readonly FeedState[]
}

/**
 * Reads several feeds (lists of changes). One commit stores the new cursors of all feeds without
 * changes, and the time of the sync pass. Also stores the cursors after a failure, because
 * providers drop old cursors. Returns the new states of the feeds that could be read.
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

/**
 * Reads the changes of a feed. Sends no request if a full round (comparison of all messages) of the
 * feed is due.
 */
async function readNext(pass: FeedPass, at: FeedInPass): Promise<ReadFeed | undefined> {
  const { feed, state } = at
  if (state.stage !== 'follow' || state.cursor === null) return { state, isStored: true }
  return attempt(pass, feed, () => readChanges(pass, at))
}

/**
 * Runs a read of a feed (list of changes). Undefined if the folder of the feed was deleted
 * meanwhile, so that the next pass ends the feed, or if the provider refuses to read the folder.
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

/** Awaits a request that reads a folder. Resolves to undefined if the folder was deleted. */
async function ignoreMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isMailApiError(error, 'folder-missing')) return undefined
    throw error
  }
}

/**
 * Finds the folders that a partial sync pass reads, by id. Notifications do not name the folder of
 * a message, so messages that are not indexed are read first. The copies are kept, and used if the
 * folder's feed reports the messages.
 *
 * Undefined if all folders have to be read: a message is in a folder that is not listed, or that
 * was renamed or moved after folders were listed, or the texts of the messages are too large to
 * keep.
 */
export async function findFolders(
  pass: FeedPass,
  { messages, specialUses, otherwiseAll }: PassParts,
): Promise<ReadonlySet<string> | undefined> {
  const { index, names, now, store } = pass
  const folders = new Set(specialUses.flatMap((use) => names.findByUse(use)?.id ?? []))
  // If the account's paths select other folders, no synced folder has a special use that the
  // partial pass names.
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
 * Ids of the folders that contain the messages named in notifications. Undefined if the stored list
 * of folders is outdated.
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

/** False if a folder was renamed, moved or deleted after it was listed. */
async function isInPlace({ api, names, signal }: FeedPass, folderId: string): Promise<boolean> {
  if (!api.folderPlace || !names.canMove(folderId)) return true
  const place = await ignoreMissing(api.folderPlace(folderId, signal))
  return place !== undefined && names.isAt(folderId, place)
}

/**
 * Reads messages that notifications named and keeps copies of the messages. Returns false and keeps
 * no copies if their texts are too large.
 */
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

/**
 * Finds messages in synced folders that notifications named but no feed (list of changes) reported.
 */
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
