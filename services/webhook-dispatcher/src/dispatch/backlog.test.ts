import { expect, test } from '@jest/globals'
import { createBacklog } from './backlog.ts'

const none = () => false

test('a lane is backlogged until a reading finds no more of it', () => {
  const backlog = createBacklog()
  backlog.mark('a')
  backlog.reading()(['b'], () => true)
  expect([backlog.has('a'), backlog.has('b')]).toEqual([true, true])
  backlog.reading()(['b'], (lane) => lane === 'b')
  expect([backlog.has('a'), backlog.has('b')]).toEqual([false, true])
  backlog.reading()([], none)
  expect(backlog.has('b')).toBe(false)
})

test('a reading that began before a lane was marked says nothing about it', () => {
  const backlog = createBacklog()
  const found = backlog.reading()
  backlog.mark('a')
  found([], none)
  expect(backlog.has('a')).toBe(true)
  backlog.reading()([], none)
  expect(backlog.has('a')).toBe(false)
})
