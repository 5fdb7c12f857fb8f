import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { ConnectionWait, maxWaitMs } from './connection-wait.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('ConnectionWait: aborts as rate-limited after 10 s', () => {
  using wait = new ConnectionWait(new AbortController().signal)
  jest.advanceTimersByTime(maxWaitMs - 1)
  expect(wait.signal.aborted).toBe(false)
  jest.advanceTimersByTime(1)
  expect(wait.signal.reason).toMatchObject({ kind: 'rate-limited' })
})

test('ConnectionWait: disposed, aborts only with the signal of the export', () => {
  const stop = new AbortController()
  const wait = new ConnectionWait(stop.signal)
  wait[Symbol.dispose]()
  jest.advanceTimersByTime(2 * maxWaitMs)
  expect(wait.signal.aborted).toBe(false)
  stop.abort()
  expect(wait.signal.aborted).toBe(true)
})
