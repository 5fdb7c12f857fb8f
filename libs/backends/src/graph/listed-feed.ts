import type { ChangesPage } from '../mail-api/feeds.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import { decodeCursor, encodeCursor, type GraphCursor } from './feed-cursor.ts'
import { feedFields, type FeedRequest, toChange } from './feed-change.ts'
import { type GraphClient, linkQuery } from './graph-client.ts'
import { assertEntries, entriesOf } from './list-entries.ts'
import { folderPath } from './lists.ts'
import { isId } from './message-fields.ts'
import { utcSeconds } from './search-filter.ts'

interface ListPage {
  value?: GraphMessage[]
  '@odata.nextLink'?: unknown
}

/**
 * Intervals at which all messages of a Graph folder are listed to find changes, because the folder
 * has no delta (list of changes).
 */
export const listIntervals = {
  /**
   * Time after which all messages of a Graph folder are listed, which shows changes and deletions
   * of older messages.
   */
  fullMs: 15 * 60_000,
  /**
   * Period before the last complete list of a Graph folder's messages. Messages that arrived in
   * this period are listed again.
   */
  overlapMs: 60 * 60_000,
}

/**
 * Reads a page of changes of a folder in a Microsoft cloud without delta. A full round lists all
 * messages of the folder, newest first. Until the next full round, only the latest messages are
 * listed.
 */
export async function readListedPage(
  client: GraphClient,
  { feed, position: { cursor, limit }, now }: FeedRequest,
  signal: AbortSignal,
): Promise<ChangesPage> {
  const start = startOf(cursor === undefined ? undefined : decodeCursor(cursor), now)
  const page = await client.json<ListPage>({
    path: `${folderPath(feed.id)}/messages`,
    query: start.query || firstQuery(start, limit),
    missing: 'folder-missing',
    check: assertEntries,
    signal,
  })
  const messages = new Map(entriesOf(page).map((each) => [each.id, each]))
  const next = nextCursor(page, start)
  return {
    full: start.kind === 'list',
    changed: [...messages.values()]
      .filter(({ id }) => isId(id))
      .map((each) => toChange(each, feed)),
    removed: [],
    cursor: encodeCursor(next),
    complete: next.kind === 'listed',
  }
}

type Start = GraphCursor & { at: number }

function startOf(cursor: GraphCursor | undefined, now: number): Start {
  const at = cursor?.at ?? now
  if (!cursor || (cursor.kind === 'listed' && now - at >= listIntervals.fullMs))
    return { kind: 'list', query: '', at: now }
  return cursor.kind === 'listed' ? { kind: 'recent', query: '', at } : { ...cursor, at }
}

function firstQuery({ kind, at }: Start, limit: number): Record<string, string> {
  const $filter = `receivedDateTime ge ${utcSeconds(new Date(at - listIntervals.overlapMs))}`
  return {
    $select: feedFields,
    $orderby: 'receivedDateTime desc',
    $top: String(limit),
    ...(kind === 'recent' && { $filter }),
  }
}

function nextCursor(page: ListPage, { kind, at }: Start): GraphCursor {
  const link = page['@odata.nextLink']
  return typeof link === 'string'
    ? { kind, query: linkQuery(link), at }
    : { kind: 'listed', query: '', at }
}
