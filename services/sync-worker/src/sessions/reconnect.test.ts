import { expect, test } from '@jest/globals'
import { nextAttemptCount, reconnectDelayMs } from './reconnect.ts'

const backoff = { minMs: 2_000, maxMs: 600_000 }

test('attempts come after 0, 2, 4, 8 seconds and so on up to ten minutes', () => {
  const waits = Array.from(
    { length: 12 },
    (_, attempt) => reconnectDelayMs(attempt, backoff, 0) / 1000,
  )
  expect(waits).toEqual([0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
  expect(reconnectDelayMs(10_000, backoff, 0)).toBe(600_000)
})

test('chance shortens a wait by half at most', () => {
  expect(reconnectDelayMs(1, backoff, 0.999)).toBeGreaterThanOrEqual(1_000)
})

test('the count is reset by a connection that synced and lasted, and by nothing else', () => {
  expect(nextAttemptCount(7, { synced: true, connectedMs: 120_000, internalFailure: false })).toBe(
    0,
  )
  expect(nextAttemptCount(7, { synced: false, connectedMs: 120_000, internalFailure: false })).toBe(
    8,
  )
  expect(nextAttemptCount(0, { synced: true, connectedMs: 10, internalFailure: false })).toBe(1)
  expect(nextAttemptCount(7, { synced: true, connectedMs: 10, internalFailure: false })).toBe(5)
})

test('trouble of our own never makes an account wait for long', () => {
  const life = { synced: false, connectedMs: 0, internalFailure: true }
  expect(nextAttemptCount(0, life)).toBe(1)
  expect(nextAttemptCount(50, life)).toBe(3)
})
