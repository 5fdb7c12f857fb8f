import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { holdFailure } from './hold-failure.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const hidden = new Error('hidden')
const shown = new Error('shown')
const caller = new AbortController()
const options = {
  timeoutMs: 30_000,
  signal: caller.signal,
  isHidden: (error: unknown) => error === hidden,
}

/**
 * Records the outcome of work (result or delayed failure), with the fake time at which the outcome
 * was reported.
 */
function report(work: (signal: AbortSignal) => Promise<unknown>, more: object = {}) {
  const startedAt = Date.now()
  const seen: { atMs: number; outcome: unknown }[] = []
  const add = (outcome: unknown) => void seen.push({ atMs: Date.now() - startedAt, outcome })
  void holdFailure(work, { ...options, ...more }).then(add, add)
  return seen
}

function failAfter(ms: number, error: Error): Promise<never> {
  return new Promise((_resolve, reject) => setTimeout(() => reject(error), ms))
}

/** Operation that ends only with its timeout, such as a connection to a silent port. */
function silent(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(hidden), { once: true }),
  )
}

test('holdFailure: hidden failures of any duration are reported at the same time', async () => {
  const reports = [
    report(() => Promise.reject(hidden)),
    report(() => failAfter(1, hidden)),
    report(() => failAfter(17_000, hidden)),
    report(silent),
  ]
  await jest.advanceTimersByTimeAsync(30_999)
  expect(reports).toEqual([[], [], [], []])
  await jest.advanceTimersByTimeAsync(1)
  const held = [{ atMs: 31_000, outcome: hidden }]
  expect(reports).toEqual([held, held, held, held])
  expect(jest.getTimerCount()).toBe(0)
})

test('holdFailure: results and other failures are reported immediately', async () => {
  const reports = [
    report(() => Promise.resolve('done')),
    report(() => Promise.reject(shown)),
    report(() => failAfter(5, shown)),
  ]
  await jest.advanceTimersByTimeAsync(5)
  expect(reports).toEqual([
    [{ atMs: 0, outcome: 'done' }],
    [{ atMs: 0, outcome: shown }],
    [{ atMs: 5, outcome: shown }],
  ])
  expect(jest.getTimerCount()).toBe(0)
})

test('holdFailure: calls onHeld when the wait starts', async () => {
  const onHeld = jest.fn()
  report(() => failAfter(10, hidden), { onHeld })
  await jest.advanceTimersByTimeAsync(9)
  expect(onHeld).not.toHaveBeenCalled()
  await jest.advanceTimersByTimeAsync(1)
  expect(onHeld).toHaveBeenCalledTimes(1)
  report(() => Promise.reject(shown), { onHeld })
  await jest.advanceTimersByTimeAsync(31_000)
  expect(onHeld).toHaveBeenCalledTimes(1)
})

test('holdFailure: an abort of the caller ends work and wait', async () => {
  const stop = new AbortController()
  const reason = new Error('stopped')
  const reports = [
    report(() => Promise.reject(hidden), { signal: stop.signal }),
    report(silent, { signal: stop.signal }),
  ]
  await jest.advanceTimersByTimeAsync(10)
  stop.abort(reason)
  await jest.advanceTimersByTimeAsync(0)
  expect(reports).toEqual([[{ atMs: 10, outcome: reason }], [{ atMs: 10, outcome: hidden }]])
  expect(jest.getTimerCount()).toBe(0)
})

test('holdFailure: reports the errors of timeout and abort that the caller has chosen', async () => {
  const stop = new AbortController()
  const named = (name: string) => (cause: unknown) => new Error(name, { cause })
  const more = { signal: stop.signal, abortError: named('cancelled'), isHidden: () => true }
  const withTimeout = { ...more, timeoutError: named('late') }
  const reports = [report(silent, withTimeout), report(silent, more)]
  await jest.advanceTimersByTimeAsync(31_000)
  const late = { atMs: 31_000, outcome: new Error('late', { cause: hidden }) }
  expect(reports).toEqual([[late], [{ atMs: 31_000, outcome: hidden }]])
  const aborted = [report(() => Promise.reject(hidden), withTimeout), report(silent, withTimeout)]
  await jest.advanceTimersByTimeAsync(10)
  stop.abort(shown)
  await jest.advanceTimersByTimeAsync(0)
  expect(aborted).toEqual([
    [{ atMs: 10, outcome: new Error('cancelled', { cause: shown }) }],
    [{ atMs: 10, outcome: new Error('cancelled', { cause: hidden }) }],
  ])
})
