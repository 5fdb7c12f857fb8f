import { expect, test } from '@jest/globals'
import { createHitLimiter } from './hit-limiter.ts'

test('createHitLimiter: burst of 100 per link, then one per second', () => {
  let now = 0
  const counts = createHitLimiter(() => now)
  const hammer = (link: string, times: number) =>
    Array.from({ length: times }, () => counts(link)).filter(Boolean).length
  expect(hammer('a', 1_000)).toBe(100)
  expect(hammer('b', 10)).toBe(10)
  now = 3_000
  expect(hammer('a', 1_000)).toBe(3)
  now = 3_600_000
  expect(hammer('a', 1_000)).toBe(100)
})
