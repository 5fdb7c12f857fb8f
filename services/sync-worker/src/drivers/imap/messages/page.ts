import type { UidRange } from '@posthorn/backends'
import type { MessageEntry, MessagePage } from '@posthorn/contracts/schemas/message'
import { decodeCursor, encodeCursor } from '@posthorn/message-id'

/** Requested page of a message list. A cursor takes precedence over a page number. */
export interface PageRequest {
  page: number
  pageSize: number
  cursor?: string
}

/** Position of a page in a message list that contains `total` messages. */
export interface PagePosition {
  total: number
  page: number
  pages: number
  pageSize: number
}

/**
 * Number of the requested page of a message list, starting at 0.
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

/**
 * Builds the response with a page of messages. For a page beyond the end of the list, the previous
 * page is the last page.
 */
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

/**
 * Message sequence numbers of a page of the list (1 is the oldest message); undefined if the page
 * is empty.
 */
export function sequenceNumbers({ total, page, pageSize }: PagePosition): UidRange | undefined {
  const last = total - page * pageSize
  return last < 1 ? undefined : [Math.max(last - pageSize + 1, 1), last]
}

/** UIDs on a page of search results. Expects and returns ascending UIDs. */
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
