import { expect, test } from '@jest/globals'
import { ShortLists } from './short-lists.ts'

const minuteMs = 60_000

function scene() {
  const clock = { now: 0 }
  const options = { minDelayMs: 12_000, lastingMs: 10 * minuteMs, now: () => clock.now }
  return { clock, lists: new ShortLists(options) }
}

test('ShortLists: a gap is new once, until a complete list', () => {
  const { lists } = scene()
  expect(lists.add('a', 1n)).toBe(true)
  expect(lists.add('a', 1n)).toBe(false)
  expect(lists.clear('a')).toBe(true)
  expect(lists.clear('a')).toBe(false)
  expect(lists.add('a', 1n)).toBe(true)
})

test('ShortLists: a complete list, or another UIDVALIDITY, starts the 10 minutes again', () => {
  const { clock, lists } = scene()
  lists.add('a', 1n)
  clock.now = 10 * minuteMs - 1
  expect(lists.isLasting('a')).toBe(false)
  clock.now = 10 * minuteMs
  expect(lists.isLasting('a')).toBe(true)
  lists.add('a', 2n)
  expect(lists.isLasting('a')).toBe(false)
  clock.now = 20 * minuteMs
  expect(lists.isLasting('a')).toBe(true)
  lists.clear('a')
  lists.add('a', 2n)
  expect(lists.isLasting('a')).toBe(false)
})

test('ShortLists: a mailbox is due after growing delays, and when the gap has lasted', () => {
  const { clock, lists } = scene()
  lists.add('a', 1n)
  const times: number[] = []
  while (lists.nextTryAt < Infinity && times.length < 20) {
    clock.now = lists.nextTryAt
    times.push(clock.now / 1_000)
    expect([...lists.takeDue()]).toEqual(['a'])
    expect([...lists.takeDue()]).toEqual([])
    lists.add('a', 1n)
  }
  expect(times).toEqual([12, 36, 84, 180, 372, 600])
  expect(lists.isLasting('a')).toBe(true)
})

test('ShortLists: mailboxes that are not synced any more are never due', () => {
  const { clock, lists } = scene()
  lists.add('a', 1n)
  lists.add('b', 1n)
  lists.retain(['b'])
  clock.now = minuteMs
  expect([...lists.takeDue()]).toEqual(['b'])
})
