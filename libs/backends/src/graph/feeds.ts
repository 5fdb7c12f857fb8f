import { messageOf } from '@posthorn/errors'
import { ProviderError } from '@posthorn/net/provider-error'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { ChangesPage, Feed, MailApiFeeds, MessageChange } from '../mail-api/feeds.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import { damagedCursorOf, readDamagedPage } from './damaged-folder.ts'
import { decodeCursor, encodeCursor, type GraphCursor, staleCursor } from './feed-cursor.ts'
import { feedFields, type FeedRequest, toChange } from './feed-change.ts'
import { type GraphClient, linkQuery } from './graph-client.ts'
import { isPageFailure, smallerPages } from './list-around.ts'
import { assertEntries, entriesOf } from './list-entries.ts'
import { readListedPage } from './listed-feed.ts'
import { folderPath } from './lists.ts'
import { isId } from './message-fields.ts'

type DeltaItem = GraphMessage & { '@removed'?: object }

interface DeltaPage {
  value?: DeltaItem[]
  '@odata.nextLink'?: unknown
  '@odata.deltaLink'?: unknown
}

/**
 * Reads the changes of a Graph mailbox, with one change list (feed) per folder. The Microsoft cloud
 * `china` has no delta of messages, so folders are listed there. `now` returns the time in ms since
 * 1970.
 */
export function graphFeeds(client: GraphClient, now: () => number): MailApiFeeds {
  const read = client.access.cloud === 'china' ? readListedPage : readDamagedOrDelta
  return {
    feeds: (folders) => folders.map(({ id }) => ({ id, folderId: id })),
    async changes(feed, position, signal) {
      try {
        return await read(client, { feed, position, now: now() }, signal)
      } catch (error) {
        if (position.cursor !== undefined && (await isLostLink(client, { feed, error }, signal)))
          throw staleCursor(messageOf(error))
        throw error
      }
    },
  }
}

/**
 * Reads a page of a folder's delta, or of the folder's message list while a damaged message makes
 * the delta fail. A failed page is requested again with smaller sizes, which reads the other
 * messages of the page. At the damaged message, the list replaces the delta.
 */
async function readDamagedOrDelta(
  client: GraphClient,
  request: FeedRequest,
  signal: AbortSignal,
): Promise<ChangesPage> {
  const { feed, position, now } = request
  const cursor = damagedCursorOf(position.cursor, now)
  if (cursor) return readDamagedPage(client, { ...request, cursor }, signal)
  const isRetry = position.cursor !== undefined && decodeCursor(position.cursor).damagedAt
  const start = isRetry ? { limit: position.limit } : position
  let failure: unknown
  for (const limit of [position.limit, ...smallerPages.filter((each) => each < position.limit)])
    try {
      const page = { feed, now, position: { ...start, limit }, repeatable: failure === undefined }
      return await readDeltaPage(client, page, signal)
    } catch (error) {
      // A stale cursor after a failed page of a Graph delta ends the attempts: a link of the delta
      // works for a few requests only.
      if (failure !== undefined && isMailApiError(error, 'stale-cursor')) break
      // A smaller page of a folder's changes is tried only if Graph can read the folder itself.
      const isOfPage = isPageFailure(error) && (failure || (await isServed(client, feed, signal)))
      if (!isOfPage) throw error
      failure = error
    }
  return readDamagedPage(client, request, signal)
}

async function isServed(client: GraphClient, feed: Feed, signal: AbortSignal): Promise<boolean> {
  return await folderExists(client, feed, signal).catch(() => false)
}

/**
 * True if Graph lost the state behind a link to the next changes. Graph reports such a loss with
 * several statuses and error codes, and does not report other errors of a link in this way. A lost
 * link may be reported as missing although its folder exists.
 */
async function isLostLink(
  client: GraphClient,
  { feed, error }: { feed: Feed; error: unknown },
  signal: AbortSignal,
): Promise<boolean> {
  if (!isMailApiError(error) || !isNamed(error)) return false
  const isMissing =
    error.failure === 'folder-missing' || (error.failure === 'unavailable' && error.status === 404)
  return error.failure === 'refused' || (isMissing && (await folderExists(client, feed, signal)))
}

/**
 * True for an error response with an error code of Graph. An error response without a code is an
 * HTML page of a server in front of Graph.
 */
function isNamed({ cause }: MailApiError): boolean {
  const error = cause instanceof MailApiError ? cause.cause : cause
  return !(error instanceof ProviderError) || error.code !== undefined
}

async function folderExists(
  client: GraphClient,
  { id }: Feed,
  signal: AbortSignal,
): Promise<boolean> {
  const request = { path: folderPath(id), query: { $select: 'id' }, signal }
  try {
    await client.json({ ...request, missing: 'folder-missing' })
    return true
  } catch (error) {
    if (isMailApiError(error, 'folder-missing')) return false
    throw error
  }
}

async function readDeltaPage(
  client: GraphClient,
  { feed, position: { cursor, limit }, repeatable = true }: FeedRequest,
  signal: AbortSignal,
): Promise<ChangesPage> {
  const start = cursor === undefined ? undefined : decodeCursor(cursor)
  const page = await client.json<DeltaPage>({
    repeatable,
    check: assertEntries,
    path: `${folderPath(feed.id)}/messages/delta`,
    query: start?.query ?? { $select: feedFields },
    // A Graph request for changes never has `$top`, because with `$top` the delta (list of changes)
    // would end early. Without the header `Prefer`, a page has 10 entries.
    prefer: [`odata.maxpagesize=${limit}`],
    missing: 'folder-missing',
    signal,
  })
  const full = start === undefined || start.kind === 'full'
  const { changed, removed } = toChanges(entriesOf(page), feed)
  const left = new Set([...(start?.removed ?? []), ...removed])
  for (const { id } of changed) left.delete(id)
  const next = nextCursor(page, full)
  return {
    full,
    changed,
    removed: full ? [] : [...left],
    cursor: encodeCursor(full && left.size > 0 ? { ...next, removed: [...left] } : next),
    complete: next.kind === 'delta',
  }
}

function nextCursor(page: DeltaPage, full: boolean): GraphCursor {
  const { '@odata.nextLink': next, '@odata.deltaLink': delta } = page
  if (typeof next === 'string') return { kind: full ? 'full' : 'round', query: linkQuery(next) }
  if (typeof delta === 'string') return { kind: 'delta', query: linkQuery(delta) }
  throw new MailApiError('unavailable', 'The provider sent a page of changes without a link')
}

/**
 * Converts the entries of a page of a Graph change list (feed) to changes. Merges repeated entries
 * of one message. The last of these entries decides whether the message is in the folder.
 */
function toChanges(
  items: readonly DeltaItem[],
  feed: Feed,
): { changed: MessageChange[]; removed: string[] } {
  const changed = new Map<string, MessageChange>()
  const removed = new Set<string>()
  for (const item of items) {
    if (!isId(item.id)) continue
    const { id } = item
    if (item['@removed']) {
      changed.delete(id)
      removed.add(id)
    } else {
      changed.set(id, { ...changed.get(id), ...toChange(item, feed) })
      removed.delete(id)
    }
  }
  return { changed: [...changed.values()], removed: [...removed] }
}
