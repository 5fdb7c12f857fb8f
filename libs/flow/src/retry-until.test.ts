import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { backoff } from './backoff.ts'
import { retryUntil } from './retry-until.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function failing(times: number) {
  return jest.fn((attempt: number) =>
    attempt > times ? Promise.resolve(attempt) : Promise.reject(new Error(`failure ${attempt}`)),
  )
}

test('retryUntil: retries after each delay until the work succeeds', async () => {
  const work = failing(2)
  const onRetry = jest.fn()
  const result = retryUntil(work, { delayMs: backoff({ baseMs: 100 }), onRetry })
  await jest.advanceTimersByTimeAsync(99)
  expect(work).toHaveBeenCalledTimes(1)
  await jest.advanceTimersByTimeAsync(1)
  expect(work).toHaveBeenCalledTimes(2)
  await jest.advanceTimersByTimeAsync(200)
  expect(await result).toBe(3)
  expect(onRetry.mock.calls.map(([, attempt]) => attempt)).toEqual([1, 2])
})

test('retryUntil: after maxAttempts, rejects with the last error', async () => {
  const work = failing(5)
  const expectation = expect(retryUntil(work, { delayMs: 1, maxAttempts: 2 })).rejects.toThrow(
    'failure 2',
  )
  await jest.runAllTimersAsync()
  await expectation
  expect(work).toHaveBeenCalledTimes(2)
})

test('retryUntil: an error that is not retryable is thrown immediately', async () => {
  const work = failing(5)
  const result = retryUntil(work, { delayMs: 1, isRetryable: () => false })
  await expect(result).rejects.toThrow('failure 1')
  expect(work).toHaveBeenCalledTimes(1)
})

test('retryUntil: on abort, rejects with the reason and leaves no timer', async () => {
  const abort = new AbortController()
  const result = retryUntil(failing(5), { delayMs: 100, signal: abort.signal })
  const expectation = expect(result).rejects.toThrow('stop')
  await jest.advanceTimersByTimeAsync(50)
  abort.abort(new Error('stop'))
  await expectation
  expect(jest.getTimerCount()).toBe(0)
})

test('retryUntil: with an aborted signal, does not start', async () => {
  const work = failing(0)
  const signal = AbortSignal.abort(new Error('stop'))
  await expect(retryUntil(work, { delayMs: 1, signal })).rejects.toThrow('stop')
  expect(work).not.toHaveBeenCalled()
})
