import { defined } from '@posthorn/contracts/defined'
import type { ChangesPage } from '../mail-api/feeds.ts'
import { decodeCursor, encodeCursor, type GraphCursor } from './feed-cursor.ts'
import { feedFields, type FeedRequest, toChange } from './feed-change.ts'
import type { GraphClient } from './graph-client.ts'
import { listAround } from './list-around.ts'
import { entriesOf } from './list-entries.ts'
import { listIntervals } from './listed-feed.ts'
import { folderPath } from './lists.ts'
import { isId } from './message-fields.ts'
import { utcSeconds } from './search-filter.ts'

// Microsoft Graph sends status 500 for each page of a folder's delta (list of changes) that
// contains a damaged message (microsoftgraph/microsoft-graph-docs issue 2913). A delta cannot skip
// the message. A message list with `$skip` can.

/**
 * Time after which the delta (list of changes) of a Graph folder with a damaged message is tried
 * again.
 */
const retryDeltaMs = 24 * 3_600_000
/**
 * Time after which the delta (list of changes) of a Graph folder is tried again if the list of its
 * messages shows no damaged message: the delta then failed for another reason.
 */
const retryUndamagedMs = 3_600_000

/** Cursor of a Graph folder with a damaged message: the position in the lists of its messages. */
type DamagedCursor = GraphCursor & { damagedAt: number; at: number; skip: number }

/**
 * Cursor of a Graph folder whose messages are listed because its delta (list of changes) fails.
 * Undefined for other cursors, and when the delta is due to be tried again.
 */
export function damagedCursorOf(text: string | undefined, now: number): DamagedCursor | undefined {
  const cursor = text === undefined ? undefined : decodeCursor(text)
  if (cursor?.damagedAt === undefined) return undefined
  const { damagedAt, at = now, skip = 0 } = cursor
  const isDue = cursor.kind === 'listed' && now - damagedAt >= retryDeltaMs
  return isDue ? undefined : { ...cursor, damagedAt, at, skip }
}

/**
 * Reads a page of a Graph folder with a damaged message, from `cursor` or from the start of a full
 * round (listing of all messages). Lists the messages of the folder, newest first, and skips
 * damaged messages. Between full rounds, only the latest messages are listed.
 */
export async function readDamagedPage(
  client: GraphClient,
  { feed, position: { limit }, now, cursor }: FeedRequest & { cursor?: DamagedCursor | undefined },
  signal: AbortSignal,
): Promise<ChangesPage> {
  const start = startOf(cursor, now)
  const $filter = `receivedDateTime ge ${utcSeconds(new Date(start.at - listIntervals.overlapMs))}`
  const list = {
    path: `${folderPath(feed.id)}/messages`,
    query: {
      $select: feedFields,
      $orderby: 'receivedDateTime desc',
      ...(start.kind === 'recent' && { $filter }),
    },
    skip: start.skip,
    limit,
  }
  const { page, skip, unreadable } = await listAround(client, list, signal)
  const entries = entriesOf(page)
  const isComplete = page['@odata.nextLink'] === undefined
  const hasDamage = start.hasDamage ?? (unreadable > 0 || undefined)
  const next: DamagedCursor = isComplete
    ? listedCursor({ ...start, ...defined({ hasDamage }) }, now)
    : { ...start, ...defined({ hasDamage }), skip: skip + entries.length }
  return {
    full: start.kind === 'list',
    changed: entries.filter(({ id }) => isId(id)).map((each) => toChange(each, feed)),
    removed: [],
    cursor: encodeCursor(next),
    complete: isComplete,
    ...(unreadable > 0 && { unreadable }),
  }
}

/**
 * Cursor of a Graph folder with a damaged message, stored when the list of the folder's messages
 * has been read completely.
 */
function listedCursor({ hasDamage, ...list }: DamagedCursor, now: number): DamagedCursor {
  const isUndamaged = list.kind === 'list' && !hasDamage
  const damagedAt = isUndamaged ? now - retryDeltaMs + retryUndamagedMs : list.damagedAt
  return { ...list, damagedAt, kind: 'listed', skip: 0 }
}

function startOf(cursor: DamagedCursor | undefined, now: number): DamagedCursor {
  const first: DamagedCursor = { kind: 'list', query: '', at: now, skip: 0, damagedAt: now }
  if (cursor?.kind !== 'listed') return cursor ?? first
  return now - cursor.at >= listIntervals.fullMs
    ? { ...first, damagedAt: cursor.damagedAt }
    : { ...cursor, kind: 'recent', skip: 0 }
}
