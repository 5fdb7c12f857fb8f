import { expect, test } from '@jest/globals'
import { defaultRedeliveryDelayMs, reconnectDelayMs } from './delays.ts'

test('reconnectDelayMs: grows from at most 100 ms to at most 5 s', () => {
  for (let n = 0; n < 100; n += 1) {
    expect(reconnectDelayMs(1)).toBeGreaterThanOrEqual(50)
    expect(reconnectDelayMs(1)).toBeLessThanOrEqual(100)
    expect(reconnectDelayMs(n + 1)).toBeLessThanOrEqual(5_000)
  }
  expect(reconnectDelayMs(1_001)).toBeGreaterThanOrEqual(2_500)
})

test('reconnectDelayMs: differs between processes that lost the broker together', () => {
  const delays = Array.from({ length: 50 }, () => reconnectDelayMs(6))
  expect(new Set(delays).size).toBeGreaterThan(20)
})

test('defaultRedeliveryDelayMs: doubles with each redelivery up to 5 s', () => {
  const delays = [0, 1, 2, 5, 6, 20].map(defaultRedeliveryDelayMs)
  expect(delays).toEqual([100, 200, 400, 3_200, 5_000, 5_000])
})
