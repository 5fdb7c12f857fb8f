import type { UidRange } from '@posthorn/backends'
import type { MessageEntry, MessagePage } from '@posthorn/contracts'
import { decodeCursor, encodeCursor } from '@posthorn/message-id'

/** Which page is asked for. A cursor wins over a page. */
export interface PageWish {
  page: number
  pageSize: number
  cursor?: string
}

/** Where a page of so many is. */
export interface Place {
  total: number
  page: number
  pages: number
  pageSize: number
}

/**
 * The number of the page that is asked for.
 *
 * @throws AppError `invalid` `InvalidCursorType`, `InvalidCursorValue`
 */
export function pageOf({ page, cursor }: Pick<PageWish, 'page' | 'cursor'>): number {
  return cursor === undefined ? page : decodeCursor(cursor).page
}

export function placeOf(
  total: number,
  { page, pageSize }: { page: number; pageSize: number },
): Place {
  return { total, page, pages: Math.max(Math.ceil(total / pageSize), 1), pageSize }
}

/** The page as it is answered: from one beyond the end the way back leads to the last. */
export function pageAnswer({ total, page, pages }: Place, messages: MessageEntry[]): MessagePage {
  return {
    total,
    page,
    pages,
    nextPageCursor: page + 1 < pages ? encodeCursor({ page: page + 1 }) : null,
    prevPageCursor: page > 0 ? encodeCursor({ page: Math.min(page, pages) - 1 }) : null,
    messages,
  }
}

/** The places of a page in a mailbox, counted from 1 for the oldest message; undefined where there are none. */
export function placesOf({ total, page, pageSize }: Place): UidRange | undefined {
  const last = total - page * pageSize
  return last < 1 ? undefined : [Math.max(last - pageSize + 1, 1), last]
}

/** The UIDs of a page, ascending. */
export function uidsOfPage(uids: readonly UidRange[], { page, pageSize }: Place): UidRange[] {
  const wanted: UidRange[] = []
  let skipping = page * pageSize
  let room = pageSize
  for (const [first, last] of uids.toReversed()) {
    const to = last - skipping
    skipping = Math.max(skipping - (last - first + 1), 0)
    if (to < first) continue
    const from = Math.max(first, to - room + 1)
    wanted.unshift([from, to])
    room -= to - from + 1
    if (room === 0) break
  }
  return wanted
}
