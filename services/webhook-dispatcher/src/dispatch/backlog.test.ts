import { afterEach, expect, test } from '@jest/globals'
import { Backlog } from './backlog.ts'

const none = () => false
const backlog = new Backlog()
afterEach(() => backlog.stop())

test('Backlog: a lane is marked until a read finds no more rows of it', () => {
  backlog.mark('a')
  backlog.startRead()(['b'], () => true)
  expect([backlog.has('a'), backlog.has('b')]).toEqual([true, true])
  backlog.startRead()(['b'], (lane) => lane === 'b')
  expect([backlog.has('a'), backlog.has('b')]).toEqual([false, true])
  backlog.startRead()([], none)
  expect(backlog.has('b')).toBe(false)
})

test('Backlog: a read that started before a lane was marked does not unmark it', () => {
  const endRead = backlog.startRead()
  backlog.mark('a')
  endRead([], none)
  expect(backlog.has('a')).toBe(true)
  backlog.startRead()([], none)
  expect(backlog.has('a')).toBe(false)
})
