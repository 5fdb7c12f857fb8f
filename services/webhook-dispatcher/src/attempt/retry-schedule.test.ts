import { expect, test } from '@jest/globals'
import { maxAttempts, retryDelayMs } from './retry-schedule.ts'

test('the bounds are 5 s doubled', () => {
  const bounds = Array.from(
    { length: maxAttempts - 1 },
    (_, n) => retryDelayMs(n + 1, 5_000, () => 1) / 1000,
  )
  expect(bounds).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280])
})

test('jitter shortens by up to a fifth and lengthens by nothing', () => {
  expect(retryDelayMs(1, 5_000, () => 0)).toBe(4_000)
  expect(retryDelayMs(9, 5_000, () => 0)).toBe(1_024_000)
  for (let n = 0; n < 10_000; n++) {
    const wait = retryDelayMs(3, 5_000)
    expect(wait).toBeGreaterThanOrEqual(16_000)
    expect(wait).toBeLessThanOrEqual(20_000)
  }
})

test('waits are spread evenly', () => {
  const count = 20_000
  let sum = 0
  for (let n = 0; n < count; n++) sum += retryDelayMs(1, 5_000)
  expect(Math.abs(sum / count - 4_500)).toBeLessThan(45) // 1 %; the standard error is 2 ms
})
