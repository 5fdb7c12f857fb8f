import { expect, test } from '@jest/globals'
import { KeyedMutex } from './keyed-mutex.ts'
import { KeyedSemaphore } from './keyed-semaphore.ts'

test('KeyedSemaphore: keys do not affect each other', () => {
  const semaphore = new KeyedSemaphore(1)
  const permit = semaphore.tryAcquire('a')
  expect(semaphore.tryAcquire('a')).toBeUndefined()
  expect(semaphore.tryAcquire('b')).toBeDefined()
  permit?.[Symbol.dispose]()
  permit?.[Symbol.dispose]()
  expect(semaphore.available('a')).toBe(1)
  expect(semaphore.available('b')).toBe(0)
})

test('KeyedSemaphore: the capacity may depend on the key', () => {
  const semaphore = new KeyedSemaphore((key: string) => key.length)
  expect(semaphore.available('ab')).toBe(2)
  semaphore.tryAcquire('ab')
  expect(semaphore.available('ab')).toBe(1)
})

test('KeyedSemaphore: drops idle keys', async () => {
  const semaphore = new KeyedSemaphore(1)
  const permit = await semaphore.acquire('a')
  const waiting = semaphore.acquire('a')
  expect(semaphore.waiting('a')).toBe(1)
  permit[Symbol.dispose]()
  const next = await waiting
  expect(semaphore.size).toBe(1)
  next[Symbol.dispose]()
  expect(semaphore.size).toBe(0)
})

test('KeyedSemaphore: a rejected first acquire leaves no key', async () => {
  const semaphore = new KeyedSemaphore(1)
  const signal = AbortSignal.abort(new Error('stop'))
  await expect(semaphore.acquire('a', signal)).rejects.toThrow('stop')
  expect(semaphore.size).toBe(0)
})

test('KeyedMutex: runs the work of a key in FIFO order, one at a time', async () => {
  const mutex = new KeyedMutex()
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = mutex.run('a', async () => {
    await gate.promise
    order.push('a1')
  })
  const second = mutex.run('a', () => void order.push('a2'))
  await mutex.run('b', () => void order.push('b'))
  expect(mutex.available('a')).toBe(0)
  gate.resolve()
  await Promise.all([first, second])
  expect(order).toEqual(['b', 'a1', 'a2'])
  expect(mutex.size).toBe(0)
})

test('KeyedMutex: failed work releases the key', async () => {
  const mutex = new KeyedMutex()
  await expect(mutex.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(mutex.available('a')).toBe(1)
})
