import { expect, jest, test } from '@jest/globals'
import { Mutex } from './mutex.ts'

test('Mutex: runs work one at a time in FIFO order, failed work included', async () => {
  const mutex = new Mutex()
  const order: number[] = []
  const gate = Promise.withResolvers<void>()
  const first = mutex.run(async () => {
    await gate.promise
    order.push(1)
    throw new Error('no')
  })
  const second = mutex.run(() => void order.push(2))
  expect(mutex.isContended).toBe(true)
  gate.resolve()
  await expect(first).rejects.toThrow('no')
  await second
  expect(order).toEqual([1, 2])
  expect(mutex.isIdle).toBe(true)
})

test('Mutex.tryAcquire: with an owner, returns undefined', () => {
  const mutex = new Mutex()
  const permit = mutex.tryAcquire()
  expect(mutex.tryAcquire()).toBeUndefined()
  permit?.[Symbol.dispose]()
  expect(mutex.isIdle).toBe(true)
})

test('Mutex.acquire: on abort, rejects and leaves the lock to the next caller', async () => {
  const mutex = new Mutex()
  const owner = await mutex.acquire()
  const abort = new AbortController()
  const aborted = mutex.acquire(abort.signal)
  const next = mutex.acquire()
  abort.abort(new Error('stop'))
  await expect(aborted).rejects.toThrow('stop')
  owner[Symbol.dispose]()
  ;(await next)[Symbol.dispose]()
})

test('Mutex.onContended: is called when a caller starts to wait, until disposed', async () => {
  const mutex = new Mutex()
  const listener = jest.fn()
  const owner = await mutex.acquire()
  const subscription = mutex.onContended(listener)
  expect(listener).not.toHaveBeenCalled()
  const second = mutex.run(() => {})
  expect(listener).toHaveBeenCalledTimes(1)
  subscription[Symbol.dispose]()
  const third = mutex.run(() => {})
  expect(listener).toHaveBeenCalledTimes(1)
  mutex.onContended(listener)
  expect(listener).toHaveBeenCalledTimes(2)
  owner[Symbol.dispose]()
  await Promise.all([second, third])
})
