import { expect, test } from '@jest/globals'
import { TargetThrottle, type TargetThrottleOptions } from './target-throttle.ts'

/** Throttle of calls to webhook targets, with a clock that the test advances. */
function setUp(options: Partial<TargetThrottleOptions> = {}) {
  let time = 0
  const throttle = new TargetThrottle({
    optionsOf: () => ({ concurrency: 4 }),
    suspendMs: 5_000,
    maxSuspendMs: 30_000,
    clock: () => time,
    ...options,
  })
  const fail = (times = 1) => {
    for (let n = 0; n < times; n++) throttle.onEnd('l', { responded: false })
  }
  return { throttle, fail, advance: (ms: number) => void (time += ms) }
}

test('TargetThrottle.limit: 1 after 3 consecutive calls without a response, restored by a response', () => {
  const { throttle, fail } = setUp()
  fail(2)
  expect(throttle.limit('l')).toBe(4)
  fail()
  expect(throttle.limit('l')).toBe(1)
  expect(throttle.delayMs('l')).toBe(0)
  throttle.onEnd('l', { responded: true })
  expect(throttle.limit('l')).toBe(4)
})

test('TargetThrottle: suspends a lane after 10 silent calls, for a doubling time, then probes it', () => {
  const { throttle, fail, advance } = setUp()
  fail(10)
  expect([throttle.delayMs('l'), throttle.isBlocked('l'), throttle.suspended()]).toEqual([
    5_000,
    true,
    ['l'],
  ])
  fail(3) // calls that were in flight when the lane of the webhook target was suspended
  expect(throttle.delayMs('l')).toBe(5_000)
  const suspensions = Array.from({ length: 5 }, () => {
    advance(throttle.delayMs('l'))
    expect([throttle.delayMs('l'), throttle.isBlocked('l'), throttle.limit('l')]).toEqual([
      0,
      false,
      1,
    ])
    fail()
    return throttle.delayMs('l')
  })
  expect(suspensions).toEqual([10_000, 20_000, 30_000, 30_000, 30_000])
  advance(30_000)
  throttle.onEnd('l', { responded: true })
  expect([throttle.delayMs('l'), throttle.limit('l')]).toEqual([0, 4])
  fail(10)
  expect(throttle.delayMs('l')).toBe(5_000)
})

test('TargetThrottle: a suspended lane does not affect another', () => {
  const { throttle, fail } = setUp()
  fail(100)
  expect([throttle.delayMs('other'), throttle.limit('other'), throttle.isBlocked('other')]).toEqual(
    [0, 4, false],
  )
})

test('TargetThrottle: a requested suspension is limited to 60 s', () => {
  const { throttle, advance } = setUp()
  throttle.onEnd('l', { responded: true, suspendMs: 7_000 })
  expect(throttle.delayMs('l')).toBe(7_000)
  throttle.onEnd('l', { responded: true, suspendMs: 1_000 })
  expect(throttle.delayMs('l')).toBe(7_000)
  advance(7_000)
  expect(throttle.delayMs('l')).toBe(0)
  throttle.onEnd('l', { responded: true, suspendMs: 3_600_000 })
  expect(throttle.delayMs('l')).toBe(60_000)
})

test('TargetThrottle: limits the rate, and unused permits do not accumulate', () => {
  const { throttle, advance } = setUp({ optionsOf: () => ({ concurrency: 4, rate: 10 }) })
  let started = 0
  const run = (ms: number) => {
    for (let n = 0; n < ms; n++) {
      for (; throttle.delayMs('l') === 0; started++) throttle.onStart('l')
      advance(1)
    }
  }
  run(10_000)
  expect(started).toBeGreaterThanOrEqual(100)
  expect(started).toBeLessThanOrEqual(103)
  advance(60_000)
  started = 0
  run(1_000)
  expect(started).toBeLessThanOrEqual(12)
})
