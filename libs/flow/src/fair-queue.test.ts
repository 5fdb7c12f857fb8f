import { expect, test } from '@jest/globals'
import { FairQueue, type RunningItem } from './fair-queue.ts'
import { QueueFullError } from './queue-full-error.ts'

type Taken = RunningItem<string, string>
const itemsOf = (taken: (Taken | undefined)[]) => taken.map((running) => running?.item)

test('FairQueue: serves keys round-robin and the items of a key in order', () => {
  const queue = new FairQueue<string>({ maxRunningPerKey: 10 })
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.add(item.slice(0, 1), item)
  const order = itemsOf(Array.from({ length: 7 }, () => queue.take()))
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
})

test('FairQueue: a key at its limit delays no other key', () => {
  const queue = new FairQueue<string>({ maxRunningPerKey: 1 })
  for (const item of ['a1', 'a2', 'b1']) queue.add(item.slice(0, 1), item)
  const first = queue.take()
  expect(itemsOf([first, queue.take(), queue.take()])).toEqual(['a1', 'b1', undefined])
  expect(queue.waiting).toBe(1)
  first?.[Symbol.dispose]()
  expect(queue.take()?.item).toBe('a2')
})

test('FairQueue: disposing an item twice frees its slot once', () => {
  const queue = new FairQueue<string>({ maxRunningPerKey: 2 })
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item)
  const first = queue.take()
  queue.take()
  first?.[Symbol.dispose]()
  first?.[Symbol.dispose]()
  expect(itemsOf([queue.take(), queue.take()])).toEqual(['a3', undefined])
})

test('FairQueue: maxRunning bounds all keys together', () => {
  const queue = new FairQueue<string>({ maxRunningPerKey: 2, maxRunning: 1 })
  queue.add('a', 'a1')
  queue.add('b', 'b1')
  const first = queue.take()
  expect(queue.take()).toBeUndefined()
  first?.[Symbol.dispose]()
  expect(queue.take()?.item).toBe('b1')
  expect(queue.waiting).toBe(0)
})

test('FairQueue: a changed limit takes effect after refresh', () => {
  let limit = 0
  const queue = new FairQueue<string>({ maxRunningPerKey: () => limit })
  queue.add('a', 'a1')
  expect(queue.take()).toBeUndefined()
  limit = 1
  queue.refresh('a')
  limit = 0
  expect(queue.take()).toBeUndefined()
  limit = 1
  queue.refresh('a')
  expect(queue.take()?.item).toBe('a1')
})

test('FairQueue: beyond maxWaiting, throws QueueFullError', () => {
  const queue = new FairQueue<string>({ maxRunningPerKey: 1, maxWaiting: 1 })
  queue.add('a', 'a1')
  expect(() => queue.add('b', 'b1')).toThrow(QueueFullError)
})

test('FairQueue.clear: returns the waiting items and keeps running ones', () => {
  const queue = new FairQueue<string>({ maxRunningPerKey: 1 })
  for (const item of ['a1', 'a2', 'b1']) queue.add(item.slice(0, 1), item)
  const running = queue.take()
  expect(queue.clear()).toEqual(['a2', 'b1'])
  expect(queue.waiting).toBe(0)
  queue.add('a', 'a3')
  expect(queue.take()).toBeUndefined()
  running?.[Symbol.dispose]()
  expect(queue.take()?.item).toBe('a3')
})

test('FairQueue: a removed item is never taken', () => {
  const queue = new FairQueue<string>({ maxRunningPerKey: 1, maxWaiting: 2 })
  for (const item of ['a1', 'a2']) queue.add('a', item)
  expect([queue.remove('a', 'a1'), queue.remove('a', 'a1'), queue.remove('b', 'a2')]).toEqual([
    true,
    false,
    false,
  ])
  queue.add('b', 'b1')
  expect(queue.remove('b', 'b1')).toBe(true)
  expect(itemsOf([queue.take(), queue.take()])).toEqual(['a2', undefined])
  expect(queue.waiting).toBe(0)
})
