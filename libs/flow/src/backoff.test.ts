import { expect, test } from '@jest/globals'
import { backoff, fixedBackoff } from './backoff.ts'

test('backoff: doubles from baseMs to maxMs', () => {
  const delayMs = backoff({ baseMs: 100, maxMs: 5_000 })
  expect([0, 1, 2, 3, 6, 7, 10_000].map((n) => delayMs(n))).toEqual([
    0, 100, 200, 400, 3_200, 5_000, 5_000,
  ])
})

test('backoff: another factor grows accordingly', () => {
  expect([1, 2, 3].map((n) => backoff({ baseMs: 10, factor: 3 })(n))).toEqual([10, 30, 90])
})

test('backoff: jitter only shortens, by its part at most', () => {
  const delayMs = backoff({ baseMs: 1_000, jitter: 0.2 })
  expect(delayMs(1, () => 0)).toBe(1_000)
  expect(delayMs(1, () => 0.5)).toBe(900)
  expect(delayMs(2, () => 1)).toBe(1_600)
})

test('backoff: processes that failed together retry at different times', () => {
  const delayMs = backoff({ baseMs: 1_000, jitter: 0.5 })
  expect(new Set(Array.from({ length: 50 }, () => delayMs(5))).size).toBeGreaterThan(20)
})

test('fixedBackoff: takes the delays of the list, then 0', () => {
  const delayMs = fixedBackoff([1_000, 10], 0.2)
  expect([1, 2, 3].map((n) => delayMs(n, () => 0))).toEqual([1_000, 10, 0])
  expect(delayMs(1, () => 1)).toBe(800)
})
