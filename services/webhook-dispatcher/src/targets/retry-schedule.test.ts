import { expect, test } from '@jest/globals'
import { createSchedule, maxAttempts } from './options.ts'

const schedule = createSchedule(undefined, 5_000)

test('createSchedule: maximum delays start at 5 s and double', () => {
  const bounds = Array.from(
    { length: maxAttempts - 1 },
    (_, n) => schedule.delayMs(n + 1, () => 0) / 1000,
  )
  expect(bounds).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280])
})

test('createSchedule: jitter shortens a delay by up to 20 % and never lengthens it', () => {
  expect(schedule.delayMs(1, () => 1)).toBe(4_000)
  expect(schedule.delayMs(9, () => 1)).toBe(1_024_000)
  for (let n = 0; n < 10_000; n++) {
    const delay = schedule.delayMs(3)
    expect(delay).toBeGreaterThanOrEqual(16_000)
    expect(delay).toBeLessThanOrEqual(20_000)
  }
})

test('createSchedule: delays are uniformly distributed', () => {
  const count = 20_000
  let sum = 0
  for (let n = 0; n < count; n++) sum += schedule.delayMs(1)
  expect(Math.abs(sum / count - 4_500)).toBeLessThan(45) // 1 %; the standard error is 2 ms
})
