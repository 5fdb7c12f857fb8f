import { maxCursorLength } from '../mail-api/ids.ts'
import { MailApiError } from '../mail-api/errors.ts'

/** Position in the feed of a folder. */
export interface GraphCursor {
  /**
   * `full`, `round`: next page of a full round, or of a later round. `delta`: changes since the
   * last round. `list`, `recent`: next page of a list. `listed`: complete list, without a delta.
   */
  kind: 'full' | 'round' | 'delta' | 'list' | 'recent' | 'listed'
  /** Query of the link. Empty for `listed`. */
  query: string
  /** Ids that left the folder during the full round, which reports no removals. */
  removed?: string[]
  /** Time at which the list started, in ms since 1970. */
  at?: number
  /** Messages of the list before this position, in a folder with a damaged message. */
  skip?: number
  /** Time since which a damaged message prevents the delta of the folder, in ms since 1970. */
  damagedAt?: number
}

const kinds: readonly string[] = ['full', 'round', 'delta', 'list', 'recent', 'listed']

/** @throws MailApiError `stale-cursor` for a cursor that is too long to be stored */
export function encodeCursor(cursor: GraphCursor): string {
  const text = JSON.stringify(cursor)
  if (text.length > maxCursorLength) throw staleCursor('The cursor is too long')
  return text
}

/** @throws MailApiError `stale-cursor` for a text that is no cursor */
export function decodeCursor(text: string): GraphCursor {
  try {
    const cursor = JSON.parse(text) as GraphCursor
    if (kinds.includes(cursor.kind) && typeof cursor.query === 'string') return cursor
  } catch {
    // Reported below.
  }
  throw staleCursor('The cursor is invalid')
}

export function staleCursor(text: string): MailApiError {
  return new MailApiError('stale-cursor', text, { warning: 'syncStateNotFound' })
}
