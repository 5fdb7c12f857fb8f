import { expect, test } from '@jest/globals'
import { retryDelayMs, suspensionMs } from './retry-delay.ts'

test('waits double from 5 s', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(
    (attempt) => retryDelayMs(attempt, 5_000, () => 0) / 1_000,
  )
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280])
})

test('jitter shortens by at most a fifth', () => {
  expect(retryDelayMs(1, 5_000, () => 1)).toBe(4_000)
  for (let n = 0; n < 100; n++) {
    expect(retryDelayMs(3, 5_000)).toBeGreaterThanOrEqual(16_000)
    expect(retryDelayMs(3, 5_000)).toBeLessThanOrEqual(20_000)
  }
})

test('many attempts do not make a wait without end', () => {
  expect(retryDelayMs(100, 5_000, () => 0)).toBe(retryDelayMs(21, 5_000, () => 0))
})

test('a suspension grows and stays below three minutes', () => {
  expect([1, 2, 3, 6, 60].map((failures) => suspensionMs(failures, 5_000))).toEqual([
    5_000, 10_000, 20_000, 160_000, 160_000,
  ])
})
