import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { NoticeCoalescer } from './notice-coalescer.ts'
import type { SyncNotice } from './watched-account.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function coalescer() {
  const passed: SyncNotice[] = []
  return { passed, notices: new NoticeCoalescer((notice) => void passed.push(notice)) }
}

test('NoticeCoalescer: passes the first notice immediately, and those within 200 ms as one', () => {
  const { passed, notices } = coalescer()
  for (let at = 0; at < 100; at += 1) notices.add('changed')
  expect(passed).toEqual(['changed'])
  jest.advanceTimersByTime(200)
  expect(passed).toEqual(['changed', 'changed'])
  jest.advanceTimersByTime(200)
  notices.add('changed')
  expect(passed).toEqual(['changed', 'changed', 'changed'])
})

test('NoticeCoalescer: `missed` is not replaced by `changed`', () => {
  const { passed, notices } = coalescer()
  for (const notice of ['changed', 'missed', 'changed'] as const) notices.add(notice)
  jest.advanceTimersByTime(200)
  expect(passed).toEqual(['changed', 'missed'])
})

test('NoticeCoalescer: continuous notices pass five times a second', () => {
  const { passed, notices } = coalescer()
  for (let at = 0; at < 100; at += 1) {
    notices.add('changed')
    jest.advanceTimersByTime(10)
  }
  expect(passed).toHaveLength(6)
})

test('NoticeCoalescer: after close, holds no timer and passes nothing', () => {
  const { passed, notices } = coalescer()
  notices.add('changed')
  notices.add('missed')
  notices.close()
  expect(jest.getTimerCount()).toBe(0)
  expect(passed).toEqual(['changed'])
})

test('NoticeCoalescer: named messages are merged, a notice without names concerns all', () => {
  const passed: unknown[] = []
  const notices = new NoticeCoalescer((...notice) => void passed.push(notice))
  const add = (...ids: string[]) =>
    notices.add(
      'changed',
      ids.map((id) => ({ id })),
    )
  add('a')
  add('b')
  add('c', 'd')
  jest.advanceTimersByTime(200)
  add('e')
  notices.add('changed')
  jest.advanceTimersByTime(200)
  add('f')
  add(...Array.from({ length: 101 }, (_, at) => `${at}`))
  jest.advanceTimersByTime(200)
  expect(passed).toEqual([
    ['changed', [{ id: 'a' }]],
    ['changed', [{ id: 'b' }, { id: 'c' }, { id: 'd' }]],
    ['changed', undefined],
    ['changed', undefined],
  ])
})
