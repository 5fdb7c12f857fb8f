import { expect, test } from '@jest/globals'
import type { UidRange } from '@posthorn/backends'
import { newest } from './list-messages.ts'

const uids: UidRange[] = [
  [1, 3],
  [5, 5],
  [8, 10],
]

test('pages begin with the newest and follow each other without gap or overlap', () => {
  const page = (number: number) => newest(uids, { skip: number * 3, take: 3 })
  expect(page(0)).toEqual([[8, 10]])
  expect(page(1)).toEqual([
    [2, 3],
    [5, 5],
  ])
  expect(page(2)).toEqual([[1, 1]])
  expect(page(3)).toEqual([])
})

test('a page may begin and end inside of ranges', () => {
  expect(newest(uids, { skip: 1, take: 4 })).toEqual([
    [3, 3],
    [5, 5],
    [8, 9],
  ])
})

test('a page of a large mailbox takes no more than its messages', () => {
  expect(newest([[1, 4_000_000_000]], { skip: 20, take: 2 })).toEqual([
    [3_999_999_979, 3_999_999_980],
  ])
})

test('nothing comes of an empty mailbox', () => {
  expect(newest([], { skip: 0, take: 20 })).toEqual([])
})
