import { expect, test } from '@jest/globals'
import { type Permit, Semaphore } from './semaphore.ts'

const release = (permit: Permit) => permit[Symbol.dispose]()
const turn = () => new Promise(setImmediate)

test('Semaphore: grants up to the capacity synchronously', () => {
  const semaphore = new Semaphore(2)
  const first = semaphore.tryAcquire()
  expect(semaphore.tryAcquire()).toBeDefined()
  expect(semaphore.tryAcquire()).toBeUndefined()
  if (first) release(first)
  expect(semaphore.available).toBe(1)
})

test('Semaphore.acquire: with a free permit, takes it before it returns', () => {
  const semaphore = new Semaphore(1)
  void semaphore.acquire()
  expect(semaphore.available).toBe(0)
})

test('Semaphore: admits waiting callers in FIFO order', async () => {
  const semaphore = new Semaphore(1)
  const order: number[] = []
  const held = await semaphore.acquire()
  const callers = [1, 2, 3].map(async (n) => {
    using _permit = await semaphore.acquire()
    order.push(n)
  })
  expect(semaphore.waiting).toBe(3)
  release(held)
  await Promise.all(callers)
  expect(order).toEqual([1, 2, 3])
  expect(semaphore.isIdle).toBe(true)
})

test('Semaphore: nothing overtakes a waiting caller, even a smaller weight that would fit', async () => {
  const semaphore = new Semaphore(10)
  const held = await semaphore.acquire(undefined, 6)
  const large = semaphore.acquire(undefined, 8)
  expect(semaphore.tryAcquire(1)).toBeUndefined()
  let small = false
  void semaphore.acquire(undefined, 2).then(() => (small = true))
  await turn()
  expect(small).toBe(false)
  release(held)
  await large
  await turn()
  expect(small).toBe(true)
  expect(semaphore.available).toBe(0)
})

test('Semaphore: a weight above the capacity takes the whole capacity', async () => {
  const semaphore = new Semaphore(10)
  const permit = await semaphore.acquire(undefined, 1_000)
  expect(semaphore.available).toBe(0)
  release(permit)
  expect(semaphore.available).toBe(10)
})

test('Semaphore: a capacity of 0 admits nothing', () => {
  expect(new Semaphore(0).tryAcquire()).toBeUndefined()
})

test('Semaphore: disposing a permit twice returns it once', async () => {
  const semaphore = new Semaphore(2)
  const permit = await semaphore.acquire()
  await semaphore.acquire()
  release(permit)
  release(permit)
  expect(semaphore.available).toBe(1)
})

test('Semaphore: on abort, a waiting caller rejects and the next one is admitted', async () => {
  const semaphore = new Semaphore(10)
  const held = await semaphore.acquire(undefined, 5)
  const abort = new AbortController()
  const large = semaphore.acquire(abort.signal, 10)
  const small = semaphore.acquire(undefined, 5)
  abort.abort(new Error('stop'))
  await expect(large).rejects.toThrow('stop')
  release(await small)
  release(held)
  expect(semaphore.available).toBe(10)
})

test('Semaphore: with an aborted signal, takes nothing', async () => {
  const semaphore = new Semaphore(1)
  const signal = AbortSignal.abort(new Error('stop'))
  await expect(semaphore.acquire(signal)).rejects.toThrow('stop')
  expect(semaphore.isIdle).toBe(true)
})

test('Semaphore: an abort after admission has no effect', async () => {
  const semaphore = new Semaphore(1)
  const abort = new AbortController()
  const held = await semaphore.acquire()
  const next = semaphore.acquire(abort.signal)
  release(held)
  abort.abort(new Error('stop'))
  release(await next)
  expect(semaphore.isIdle).toBe(true)
})

test('Semaphore.acquireAll: waits for all permits and then excludes others', async () => {
  const semaphore = new Semaphore(2)
  const held = [await semaphore.acquire(), await semaphore.acquire()]
  const all = semaphore.acquireAll()
  for (const permit of held) release(permit)
  const permit = await all
  expect(semaphore.tryAcquire()).toBeUndefined()
  release(permit)
  expect(semaphore.isIdle).toBe(true)
})

test('Semaphore.run: releases after a result and after an error', async () => {
  const semaphore = new Semaphore(1)
  await expect(semaphore.run(() => Promise.resolve(1))).resolves.toBe(1)
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(semaphore.isIdle).toBe(true)
})
