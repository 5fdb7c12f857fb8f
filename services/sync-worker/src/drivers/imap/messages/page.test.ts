import { expect, test } from '@jest/globals'
import type { UidRange } from '@posthorn/backends'
import { encodeCursor } from '@posthorn/message-id'
import { buildPage, requestedPage, pagePosition, sequenceNumbers, pageUids } from './page.ts'

const uids: UidRange[] = [
  [1, 3],
  [5, 5],
  [8, 10],
]
const place = (page: number, pageSize: number, total = 7) => pagePosition(total, { page, pageSize })

test('pageUids: newest first, consecutive pages without gap or overlap', () => {
  const page = (number: number) => pageUids(uids, place(number, 3))
  expect(page(0)).toEqual([[8, 10]])
  expect(page(1)).toEqual([
    [2, 3],
    [5, 5],
  ])
  expect(page(2)).toEqual([[1, 1]])
  expect(page(3)).toEqual([])
})

test('pageUids: splits ranges at the page boundaries', () => {
  expect(pageUids(uids, place(1, 2))).toEqual([
    [5, 5],
    [8, 8],
  ])
})

test('pageUids: cost depends on the page, not on the mailbox', () => {
  expect(pageUids([[1, 4_000_000_000]], place(10, 2, 4_000_000_000))).toEqual([
    [3_999_999_979, 3_999_999_980],
  ])
})

test('pageUids: empty mailbox, returns no ranges', () => {
  expect(pageUids([], place(0, 20, 0))).toEqual([])
  expect(sequenceNumbers(place(0, 20, 0))).toBeUndefined()
})

test('sequenceNumbers: counted from the end, the last page may be short', () => {
  expect(sequenceNumbers(place(0, 3))).toEqual([5, 7])
  expect(sequenceNumbers(place(1, 3))).toEqual([2, 4])
  expect(sequenceNumbers(place(2, 3))).toEqual([1, 1])
  expect(sequenceNumbers(place(3, 3))).toBeUndefined()
  expect(sequenceNumbers(place(1_048_576, 1_000))).toBeUndefined()
})

test('buildPage: no previous cursor on the first page, no next one on the last, one back from beyond', () => {
  const cursors = (page: number, total = 7) => {
    const { nextPageCursor, prevPageCursor } = buildPage(place(page, 3, total), [])
    const read = (cursor: string | null) =>
      cursor === null ? null : requestedPage({ page: 99, cursor })
    return [read(prevPageCursor), read(nextPageCursor)]
  }
  expect(cursors(0)).toEqual([null, 1])
  expect(cursors(1)).toEqual([0, 2])
  expect(cursors(2)).toEqual([1, null])
  expect(cursors(50)).toEqual([2, null])
  expect(cursors(0, 0)).toEqual([null, null])
  expect(cursors(0, 3)).toEqual([null, null])
})

test('requestedPage: the cursor takes precedence over the page', () => {
  expect(requestedPage({ page: 4 })).toBe(4)
  expect(requestedPage({ page: 4, cursor: encodeCursor({ page: 1 }) })).toBe(1)
  expect(() => requestedPage({ page: 4, cursor: 'imap_?' })).toThrow('Invalid paging cursor')
})
