import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { KeyedRateLimiter } from './keyed-rate-limiter.ts'
import { RateLimiter } from './rate-limiter.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const countOf = (results: boolean[]) => results.filter(Boolean).length

test('RateLimiter: grants the burst immediately, then one permit per interval', () => {
  let now = 0
  const limiter = new RateLimiter({ perSecond: 10, burst: 3, clock: () => now })
  const tryTen = () => countOf(Array.from({ length: 10 }, () => limiter.tryAcquire()))
  expect(tryTen()).toBe(3)
  expect(limiter.delayMs).toBe(100)
  now = 99
  expect(tryTen()).toBe(0)
  now = 100
  expect(tryTen()).toBe(1)
  now = 10_000
  expect(limiter.isIdle).toBe(true)
  expect(tryTen()).toBe(3)
})

test('RateLimiter: toleranceMs lets permits run ahead of the pace by that time', () => {
  let now = 0
  const limiter = new RateLimiter({ perSecond: 10, toleranceMs: 50, clock: () => now })
  expect(limiter.tryAcquire()).toBe(true)
  expect(limiter.delayMs).toBe(50)
  now = 50
  expect(limiter.tryAcquire()).toBe(true)
  expect(limiter.delayMs).toBe(100)
})

test('RateLimiter.take: takes a permit in advance, which delays later ones', () => {
  const limiter = new RateLimiter({ perSecond: 1, clock: () => 0 })
  limiter.take()
  limiter.take()
  expect(limiter.delayMs).toBe(2_000)
})

test('RateLimiter: a rate given as function is read at each permit', () => {
  let perSecond = 1
  const limiter = new RateLimiter({ perSecond: () => perSecond, toleranceMs: 0, clock: () => 0 })
  limiter.take()
  perSecond = 10
  limiter.take()
  expect(limiter.delayMs).toBe(1_100)
})

test('RateLimiter.acquire: admits waiting callers in FIFO order at the pace', async () => {
  const limiter = new RateLimiter({ perSecond: 10 })
  const admitted: number[] = []
  for (const n of [1, 2, 3]) void limiter.acquire().then(() => admitted.push(n))
  await jest.advanceTimersByTimeAsync(0)
  expect(admitted).toEqual([1])
  expect(limiter.tryAcquire()).toBe(false)
  await jest.advanceTimersByTimeAsync(100)
  expect(admitted).toEqual([1, 2])
  await jest.advanceTimersByTimeAsync(100)
  expect(admitted).toEqual([1, 2, 3])
  expect(jest.getTimerCount()).toBe(0)
})

test('RateLimiter.acquire: on abort, rejects, takes nothing and leaves no timer', async () => {
  const limiter = new RateLimiter({ perSecond: 10 })
  await limiter.acquire()
  const abort = new AbortController()
  const aborted = limiter.acquire(abort.signal)
  abort.abort(new Error('stop'))
  await expect(aborted).rejects.toThrow('stop')
  await expect(limiter.acquire(abort.signal)).rejects.toThrow('stop')
  expect(jest.getTimerCount()).toBe(0)
  await jest.advanceTimersByTimeAsync(100)
  expect(limiter.tryAcquire()).toBe(true)
})

test('RateLimiter.acquire: on abort of the first caller, the next one takes its place', async () => {
  const limiter = new RateLimiter({ perSecond: 10 })
  await limiter.acquire()
  const abort = new AbortController()
  const aborted = limiter.acquire(abort.signal)
  const next = limiter.acquire()
  abort.abort(new Error('stop'))
  await expect(aborted).rejects.toThrow('stop')
  await jest.advanceTimersByTimeAsync(100)
  await next
})

test('KeyedRateLimiter: keys do not affect each other, the least recently used is evicted', () => {
  const limiter = new KeyedRateLimiter({ perSecond: 1, burst: 1, maxKeys: 2, clock: () => 0 })
  expect(['a', 'a', 'b'].map((key) => limiter.tryAcquire(key))).toEqual([true, false, true])
  expect(limiter.tryAcquire('c')).toBe(true)
  expect(limiter.tryAcquire('a')).toBe(true)
})
