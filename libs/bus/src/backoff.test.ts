import { expect, test } from '@jest/globals'
import { backoffMs, holdMs } from './backoff.ts'

test('tries come after 100 ms at most at first, and at least every 5 s', () => {
  for (let n = 0; n < 100; n += 1) {
    expect(backoffMs(0)).toBeGreaterThanOrEqual(50)
    expect(backoffMs(0)).toBeLessThanOrEqual(100)
    expect(backoffMs(n)).toBeLessThanOrEqual(5_000)
  }
  expect(backoffMs(1_000)).toBeGreaterThanOrEqual(2_500)
})

test('processes that lost a broker together come back apart', () => {
  const delays = Array.from({ length: 50 }, () => backoffMs(5))
  expect(new Set(delays).size).toBeGreaterThan(20)
})

test('a delivery is held longer each time it fails', () => {
  expect([0, 1, 2, 5, 6, 20].map(holdMs)).toEqual([100, 200, 400, 3_200, 5_000, 5_000])
})
