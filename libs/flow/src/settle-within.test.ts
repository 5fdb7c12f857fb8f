import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { settleWithin, withTimeout } from './settle-within.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('settleWithin: with a result or an error in time, returns true and leaves no timer', async () => {
  expect(await settleWithin(Promise.resolve(), 100)).toBe(true)
  expect(await settleWithin(Promise.reject(new Error('no')), 100)).toBe(true)
  expect(jest.getTimerCount()).toBe(0)
})

test('settleWithin: after the time, returns false', async () => {
  const settled = settleWithin(new Promise(() => {}), 100)
  await jest.advanceTimersByTimeAsync(100)
  expect(await settled).toBe(false)
})

test('withTimeout: in time, passes on the result and the error', async () => {
  expect(await withTimeout(Promise.resolve(1), 100, () => 2)).toBe(1)
  await expect(withTimeout(Promise.reject(new Error('no')), 100, () => 2)).rejects.toThrow('no')
  expect(jest.getTimerCount()).toBe(0)
})

test('withTimeout: after the time, returns the result of onTimeout or throws its error', async () => {
  const forever = new Promise<number>(() => {})
  const late = withTimeout(forever, 100, () => 2)
  const failed = withTimeout(forever, 100, () => {
    throw new Error('late')
  })
  const expectation = expect(failed).rejects.toThrow('late')
  await jest.advanceTimersByTimeAsync(100)
  expect(await late).toBe(2)
  await expectation
})
