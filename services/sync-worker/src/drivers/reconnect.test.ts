import { expect, test } from '@jest/globals'
import { nextAttemptCount, reconnectDelayMs } from './reconnect.ts'

const config = { reconnectMinMs: 2_000, reconnectMaxMs: 600_000 }

test('reconnectDelayMs: doubles from 2 s to 10 min, without delay before the first attempt', () => {
  const waits = Array.from(
    { length: 12 },
    (_, attempt) => reconnectDelayMs(attempt, config, () => 0) / 1000,
  )
  expect(waits).toEqual([0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
  expect(reconnectDelayMs(10_000, config, () => 0)).toBe(600_000)
})

test('reconnectDelayMs: subtracts at most half at random', () => {
  expect(reconnectDelayMs(1, config, () => 0.999)).toBeGreaterThanOrEqual(1_000)
})

test('nextAttemptCount: reset only by a connection that synced and lasted', () => {
  expect(nextAttemptCount(7, { synced: true, connectedMs: 120_000, internalFailure: false })).toBe(
    0,
  )
  expect(nextAttemptCount(7, { synced: false, connectedMs: 120_000, internalFailure: false })).toBe(
    8,
  )
  expect(nextAttemptCount(0, { synced: true, connectedMs: 10, internalFailure: false })).toBe(1)
  expect(nextAttemptCount(7, { synced: true, connectedMs: 10, internalFailure: false })).toBe(5)
})

test('nextAttemptCount: a connection that an own change ended, has no delay', () => {
  const loss = { connectedMs: 10, internalFailure: false, isOwnLoss: true }
  expect(nextAttemptCount(3, { ...loss, synced: true })).toBe(0)
  expect(nextAttemptCount(3, { ...loss, synced: false })).toBe(3)
})

test('nextAttemptCount: internal failures are counted up to 3', () => {
  const outcome = { synced: false, connectedMs: 0, internalFailure: true }
  expect(nextAttemptCount(0, outcome)).toBe(1)
  expect(nextAttemptCount(50, outcome)).toBe(3)
})
