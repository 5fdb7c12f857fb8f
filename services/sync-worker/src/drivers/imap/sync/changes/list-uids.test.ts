import { expect, test } from '@jest/globals'
import type { MailSession, SelectedMailbox, UidRange } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { countUids, intersectRanges, uidsIn } from '../../index/ranges.ts'
import { ShortLists } from '../short-lists.ts'
import { findDeleted, listUids } from './list-uids.ts'

const id = 'mailbox'
const selected = (over: Partial<SelectedMailbox> = {}): SelectedMailbox => ({
  path: 'INBOX',
  messages: 3,
  uidNext: 9,
  uidValidity: 1n,
  flags: [],
  ...over,
})

/**
 * Fake IMAP server with the results of consecutive searches and SELECTs, and with the messages that
 * fetches return.
 */
function scene({
  searches = [],
  selects = [],
  returned = [],
}: {
  searches?: (UidRange[] | AppError)[]
  selects?: SelectedMailbox[]
  returned?: UidRange[] | AppError
}) {
  const clock = { now: 0 }
  const requests: UidRange[][] = []
  const session = {
    searchUids: async () => {
      const result = searches.shift()
      if (result instanceof AppError) throw result
      if (!result) throw new Error('no search is expected')
      return result
    },
    select: async () => {
      const result = selects.shift()
      if (!result) throw new Error('no SELECT is expected')
      return result
    },
    readFlags: async (uids: UidRange[]) => {
      requests.push(uids)
      if (returned instanceof AppError) throw returned
      return [...uidsIn(intersectRanges(uids, returned))].map((uid) => ({ uid, flags: [] }))
    },
  } as unknown as MailSession
  const shortLists = new ShortLists({ minDelayMs: 1, lastingMs: 10, now: () => clock.now })
  const findAll = async (uids: UidRange[], indexed: UidRange[], isShort = true) => {
    const list = { uids, exists: 0, isShort }
    return (await Array.fromAsync(findDeleted(context, { id }, { list, indexed }))).flat()
  }
  const context = { session, shortLists }
  return { clock, context, requests, shortLists, findAll }
}

const rejected = new AppError('rejected', 'NO')

test('listUids: a list as long as EXISTS is not repeated', async () => {
  const { context } = scene({ searches: [[[1, 3]]] })
  expect(await listUids(context, { id }, selected())).toMatchObject({
    uids: [[1, 3]],
    isShort: false,
  })
})

test('listUids: a short list is repeated after SELECT, and complete with its EXISTS', async () => {
  const { context } = scene({
    searches: [[[1, 2]], [[1, 2]]],
    selects: [selected({ messages: 2 })],
  })
  const list = await listUids(context, { id }, selected())
  expect(list).toEqual({ uids: [[1, 2]], exists: 2, isShort: false })
})

test('listUids: two short lists are one, and in a gap, one list is enough', async () => {
  const { context, shortLists } = scene({
    searches: [[[1, 1]], [[3, 3]], [[2, 2]]],
    selects: [selected()],
  })
  const list = await listUids(context, { id }, selected())
  expect(list).toMatchObject({
    uids: [
      [1, 1],
      [3, 3],
    ],
    isShort: true,
  })
  shortLists.add(id, 1n)
  const next = await listUids(context, { id }, selected())
  expect(next).toMatchObject({ uids: [[2, 2]], isShort: true })
})

test('listUids: another UIDVALIDITY of the second SELECT voids the list', async () => {
  const { context } = scene({ searches: [[]], selects: [selected({ uidValidity: 2n })] })
  expect(await listUids(context, { id }, selected())).toBeUndefined()
})

test.each<[string, UidRange[] | AppError, UidRange[]]>([
  ['lists messages', [[1, 3]], [[1, 3]]],
  ['lists none', [], []],
  ['is rejected', rejected, []],
])('listUids: EXISTS 0, a search that %s decides', async (_name, result, uids) => {
  const { context } = scene({ searches: [result] })
  const list = await listUids(context, { id, verifies: true }, selected({ messages: 0 }))
  expect(list).toEqual({ uids, exists: 0, isShort: false })
})

test('findDeleted: a complete list proves deletions, without requests', async () => {
  const { findAll, requests } = scene({})
  expect(await findAll([[1, 2]], [[1, 2_000]], false)).toEqual([[3, 2_000]])
  expect(requests).toEqual([])
})

test('findDeleted: missing messages are requested after the gap has lasted', async () => {
  const { clock, findAll, requests, shortLists } = scene({ returned: [[3, 3]] })
  shortLists.add(id, 1n)
  clock.now = 9
  expect(await findAll([[1, 2]], [[1, 5]])).toEqual([])
  expect(requests).toEqual([])
  clock.now = 10
  expect(await findAll([[1, 2]], [[1, 5]])).toEqual([[4, 5]])
  expect(requests).toEqual([[[3, 5]]])
})

test('findDeleted: a rejected request proves nothing', async () => {
  const { clock, findAll, shortLists } = scene({ returned: rejected })
  shortLists.add(id, 1n)
  clock.now = 10
  expect(await findAll([], [[1, 5]])).toEqual([])
})

test('findDeleted: many messages are requested in pieces, which the next sync continues', async () => {
  const { clock, findAll, requests, shortLists } = scene({ returned: [[1, 7_000]] })
  shortLists.add(id, 1n)
  clock.now = 10
  await findAll([], [[1, 7_000]])
  expect(requests).toHaveLength(10)
  expect(requests.every((piece) => countUids(piece) === 500)).toBe(true)
  requests.length = 0
  await findAll([], [[1, 7_000]])
  expect(requests.slice(0, 5)).toEqual([
    [[5_001, 5_500]],
    [[5_501, 6_000]],
    [[6_001, 6_500]],
    [[6_501, 7_000]],
    [[1, 500]],
  ])
})
