import { expect, test } from '@jest/globals'
import type { MailSession, UidRange } from '@posthorn/backends'
import { ShortLists } from '../short-lists.ts'
import { findDeleted, type UidList } from './list-uids.ts'

const minuteMs = 60_000
const row = { id: 'mailbox' }
const shortBy = (gap: number, ...uids: UidRange[]): UidList => ({ uids, gap, isRepeated: true })

/** Comparison with a server that returns one message on request. */
function scene(returned: number) {
  let now = 0
  const requests: UidRange[] = []
  const shortLists = new ShortLists(() => now)
  const session = {
    async *fetchMessages(uids: readonly UidRange[]) {
      requests.push(...uids)
      yield { uid: returned }
    },
  } as unknown as MailSession
  const compare = (list: UidList, indexed: readonly UidRange[]) => {
    if (list.gap > 0) shortLists.add(row.id, list.gap)
    return findDeleted({ session, shortLists }, row, { list, indexed })
  }
  return { requests, shortLists, compare, wait: (ms: number) => void (now += ms) }
}

test('findDeleted: a list of all messages proves deletions, without requests', async () => {
  const { compare, requests } = scene(3)
  expect(await compare(shortBy(0, [1, 2]), [[1, 2_000]])).toEqual([[3, 2_000]])
  expect(requests).toEqual([])
})

test('findDeleted: after 10 minutes of an equal gap, missing messages are requested', async () => {
  const { compare, requests, wait } = scene(3)
  const list = shortBy(4, [1, 2])
  const indexed: UidRange[] = [[1, 5]]
  expect(await compare(list, indexed)).toEqual([])
  wait(10 * minuteMs - 1)
  expect(await compare(list, indexed)).toEqual([])
  expect(requests).toEqual([])
  wait(1)
  expect(await compare(list, indexed)).toEqual([[4, 5]])
  expect(requests).toEqual([[3, 5]])
})

test('findDeleted: another gap, or a complete list between, starts the 10 minutes again', async () => {
  const { compare, shortLists, wait } = scene(0)
  const indexed: UidRange[] = [[1, 5]]
  await compare(shortBy(4, [1, 2]), indexed)
  wait(10 * minuteMs)
  expect(await compare(shortBy(3, [1, 2]), indexed)).toEqual([])
  wait(10 * minuteMs)
  shortLists.clear(row.id)
  expect(await compare(shortBy(3, [1, 2]), indexed)).toEqual([])
})

test.each<[string, UidRange[], UidRange[]]>([
  ['more than 500 messages', [[1, 2]], [[1, 503]]],
  ['all messages', [], [[1, 3]]],
])('findDeleted: a short list never proves the deletion of %s', async (_name, uids, indexed) => {
  const { compare, requests, wait } = scene(0)
  await compare(shortBy(4, ...uids), indexed)
  wait(60 * minuteMs)
  expect(await compare(shortBy(4, ...uids), indexed)).toEqual([])
  expect(requests).toEqual([])
})
