import { expect, test } from '@jest/globals'
import { reconnectDelayMs } from './recovering-connection.ts'

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
