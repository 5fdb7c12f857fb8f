import { maxCursorLength } from '../mail-api/ids.ts'
import { MailApiError } from '../mail-api/errors.ts'

/** Position in the change list (feed) of a folder of Microsoft Graph. */
export interface GraphCursor {
  /**
   * Kind of the position in a change list (feed). `full`, `round`: next page of a full round
   * (listing of all messages), or of a later round. `delta`: changes since the last round. `list`,
   * `recent`: next page of a message list. `listed`: complete list, in a cloud without delta or in
   * a folder with a damaged message.
   */
  kind: 'full' | 'round' | 'delta' | 'list' | 'recent' | 'listed'
  /**
   * Query of the link of Graph to the next page of a change list, or to later changes. Empty for
   * message lists.
   */
  query: string
  /**
   * Ids of messages that left a Graph folder during the full round (listing of all messages), which
   * reports no removals.
   */
  removed?: string[]
  /** Time at which reading the message list of a Graph folder started, in ms since 1970. */
  at?: number
  /**
   * Position in the message list of a Graph folder with a damaged message: number of messages
   * already listed or skipped.
   */
  skip?: number
  /**
   * Time since which a damaged message has made the delta (list of changes) of a Graph folder fail,
   * in ms since 1970.
   */
  damagedAt?: number
  /** True if the message list of a Graph folder has contained a damaged message so far. */
  hasDamage?: true
}

const kinds: readonly string[] = ['full', 'round', 'delta', 'list', 'recent', 'listed']

/**
 * Converts the position in a Graph change list (feed) to the text of a cursor.
 * @throws MailApiError `stale-cursor` for a cursor that is too long to be stored
 */
export function encodeCursor(cursor: GraphCursor): string {
  const text = JSON.stringify(cursor)
  if (text.length > maxCursorLength) throw staleCursor('The cursor is too long')
  return text
}

/**
 * Decodes the stored text of a cursor, which is a position in a Graph list of changes (feed).
 * @throws MailApiError `stale-cursor` for a text that is no cursor
 */
export function decodeCursor(text: string): GraphCursor {
  try {
    const cursor = JSON.parse(text) as GraphCursor
    if (kinds.includes(cursor.kind) && typeof cursor.query === 'string') return cursor
  } catch {
    // A text that is not JSON cannot be a cursor, and is reported as `stale-cursor` below.
  }
  throw staleCursor('The cursor is invalid')
}

export function staleCursor(text: string): MailApiError {
  return new MailApiError('stale-cursor', text, { warning: 'syncStateNotFound' })
}
