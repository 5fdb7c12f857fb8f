import type { UidRange } from '@posthorn/backends'
import type { MessageEntry, MessagePage } from '@posthorn/contracts'
import { decodeCursor, encodeCursor } from '@posthorn/message-id'

/** Which page is asked for. A cursor wins over a page. */
export interface PageRequest {
  page: number
  pageSize: number
  cursor?: string
}

/** Where a page of so many is. */
export interface PagePosition {
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
export function requestedPage({ page, cursor }: Pick<PageRequest, 'page' | 'cursor'>): number {
  return cursor === undefined ? page : decodeCursor(cursor).page
}

export function pagePosition(
  total: number,
  { page, pageSize }: { page: number; pageSize: number },
): PagePosition {
  return { total, page, pages: Math.max(Math.ceil(total / pageSize), 1), pageSize }
}

/** The page as it is answered: from one beyond the end the way back leads to the last. */
export function buildPage(
  { total, page, pages }: PagePosition,
  messages: MessageEntry[],
): MessagePage {
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
export function sequenceNumbers({ total, page, pageSize }: PagePosition): UidRange | undefined {
  const last = total - page * pageSize
  return last < 1 ? undefined : [Math.max(last - pageSize + 1, 1), last]
}

/** The UIDs of a page, ascending. */
export function pageUids(uids: readonly UidRange[], { page, pageSize }: PagePosition): UidRange[] {
  const selected: UidRange[] = []
  let skipping = page * pageSize
  let remaining = pageSize
  for (const [first, last] of uids.toReversed()) {
    const to = last - skipping
    skipping = Math.max(skipping - (last - first + 1), 0)
    if (to < first) continue
    const from = Math.max(first, to - remaining + 1)
    selected.unshift([from, to])
    remaining -= to - from + 1
    if (remaining === 0) break
  }
  return selected
}
