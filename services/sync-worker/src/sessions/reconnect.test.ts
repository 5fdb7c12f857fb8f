import { expect, test } from '@jest/globals'
import { attemptsAfter, waitBefore } from './reconnect.ts'

const backoff = { minMs: 2_000, maxMs: 600_000 }

test('attempts come after 0, 2, 4, 8 seconds and so on up to ten minutes', () => {
  const waits = Array.from({ length: 12 }, (_, attempt) => waitBefore(attempt, backoff, 0) / 1000)
  expect(waits).toEqual([0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
  expect(waitBefore(10_000, backoff, 0)).toBe(600_000)
})

test('chance shortens a wait by half at most', () => {
  expect(waitBefore(1, backoff, 0.999)).toBeGreaterThanOrEqual(1_000)
})

test('the count is reset by a connection that synced and lasted, and by nothing else', () => {
  expect(attemptsAfter(7, { synced: true, livedMs: 120_000, ours: false })).toBe(0)
  expect(attemptsAfter(7, { synced: false, livedMs: 120_000, ours: false })).toBe(8)
  expect(attemptsAfter(0, { synced: true, livedMs: 10, ours: false })).toBe(1)
  expect(attemptsAfter(7, { synced: true, livedMs: 10, ours: false })).toBe(5)
})

test('trouble of our own never makes an account wait for long', () => {
  const life = { synced: false, livedMs: 0, ours: true }
  expect(attemptsAfter(0, life)).toBe(1)
  expect(attemptsAfter(50, life)).toBe(3)
})
