import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { runPeriodically } from './periodic-task.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function options() {
  return { everyMs: 100, name: 'test', log: { error: jest.fn() } }
}

test('runPeriodically: runs immediately, then after each interval, until disposed', async () => {
  const task = jest.fn(() => Promise.resolve())
  const periodic = runPeriodically(options(), task)
  expect(task).toHaveBeenCalledTimes(1)
  await jest.advanceTimersByTimeAsync(250)
  expect(task).toHaveBeenCalledTimes(3)
  await periodic[Symbol.asyncDispose]()
  await jest.advanceTimersByTimeAsync(500)
  expect(task).toHaveBeenCalledTimes(3)
  expect(jest.getTimerCount()).toBe(0)
})

test('runPeriodically: runs never overlap, the interval counts from the end', async () => {
  const gate = Promise.withResolvers<void>()
  const task = jest.fn(() => gate.promise)
  await using _periodic = runPeriodically(options(), task)
  await jest.advanceTimersByTimeAsync(1_000)
  expect(task).toHaveBeenCalledTimes(1)
  gate.resolve()
  await jest.advanceTimersByTimeAsync(99)
  expect(task).toHaveBeenCalledTimes(1)
  await jest.advanceTimersByTimeAsync(1)
  expect(task).toHaveBeenCalledTimes(2)
})

test('runPeriodically: logs an error and runs again at the next interval', async () => {
  const task = jest.fn(() => Promise.reject(new Error('no')))
  const { log, ...rest } = options()
  await using _periodic = runPeriodically({ log, ...rest }, task)
  await jest.advanceTimersByTimeAsync(100)
  expect(task).toHaveBeenCalledTimes(2)
  const fields = { err: new Error('no'), task: 'test' }
  expect(log.error).toHaveBeenCalledWith(fields, 'periodic task failed')
})

test('PeriodicTask.wake: ends the pause; calls during a run cause one more run', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const task = jest.fn(() => gates[task.mock.calls.length - 1]?.promise ?? Promise.resolve())
  await using periodic = runPeriodically(options(), task)
  periodic.wake()
  periodic.wake()
  gates[0]?.resolve()
  await jest.advanceTimersByTimeAsync(0)
  expect(task).toHaveBeenCalledTimes(2)
  gates[1]?.resolve()
  await jest.advanceTimersByTimeAsync(0)
  expect(task).toHaveBeenCalledTimes(2)
  periodic.wake()
  await jest.advanceTimersByTimeAsync(0)
  expect(task).toHaveBeenCalledTimes(3)
})

test('runPeriodically: disposal aborts the signal, waits for the run and logs no error', async () => {
  const { log, ...rest } = options()
  const periodic = runPeriodically(
    { log, ...rest },
    (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
  )
  await periodic[Symbol.asyncDispose]()
  expect(log.error).not.toHaveBeenCalled()
  expect(jest.getTimerCount()).toBe(0)
})
