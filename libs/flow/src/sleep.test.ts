import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { sleep } from './sleep.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('sleep: resolves after the time', async () => {
  let done = false
  void sleep(100).then(() => (done = true))
  await jest.advanceTimersByTimeAsync(99)
  expect(done).toBe(false)
  await jest.advanceTimersByTimeAsync(1)
  expect(done).toBe(true)
})

test('sleep: on abort, rejects with the reason and leaves no timer', async () => {
  const abort = new AbortController()
  const sleeping = sleep(100, abort.signal)
  abort.abort(new Error('stop'))
  await expect(sleeping).rejects.toThrow('stop')
  await expect(sleep(100, abort.signal)).rejects.toThrow('stop')
  expect(jest.getTimerCount()).toBe(0)
})
