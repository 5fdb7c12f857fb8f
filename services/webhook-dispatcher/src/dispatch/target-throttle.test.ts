import { expect, test } from '@jest/globals'
import { createTargetThrottle, type TargetThrottleOptions } from './target-throttle.ts'

/** A gate with a clock of the test's. */
function setUp(options: Partial<TargetThrottleOptions> = {}) {
  let time = 0
  const gate = createTargetThrottle({
    optionsOf: () => ({ concurrency: 4 }),
    pauseMs: 5_000,
    maxPauseMs: 30_000,
    now: () => time,
    ...options,
  })
  const fail = (times = 1) => {
    for (let n = 0; n < times; n++) gate.onEnd('l', { answered: false })
  }
  return { gate, fail, pass: (ms: number) => void (time += ms) }
}

test('three calls in a row without an answer leave one call at a time, an answer gives the others back', () => {
  const { gate, fail } = setUp()
  fail(2)
  expect(gate.limit('l')).toBe(4)
  fail()
  expect(gate.limit('l')).toBe(1)
  expect(gate.waitMs('l')).toBe(0)
  gate.onEnd('l', { answered: true })
  expect(gate.limit('l')).toBe(4)
})

test('ten leave the target alone, for a time that doubles up to the longest, then one call tries', () => {
  const { gate, fail, pass } = setUp()
  fail(10)
  expect([gate.waitMs('l'), gate.isSuspended('l'), gate.suspended()]).toEqual([5_000, true, ['l']])
  fail(3) // were under way
  expect(gate.waitMs('l')).toBe(5_000)
  const pauses = Array.from({ length: 5 }, () => {
    pass(gate.waitMs('l'))
    expect([gate.waitMs('l'), gate.isSuspended('l'), gate.limit('l')]).toEqual([0, false, 1])
    fail()
    return gate.waitMs('l')
  })
  expect(pauses).toEqual([10_000, 20_000, 30_000, 30_000, 30_000])
  pass(30_000)
  gate.onEnd('l', { answered: true })
  expect([gate.waitMs('l'), gate.limit('l')]).toEqual([0, 4])
  fail(10)
  expect(gate.waitMs('l')).toBe(5_000)
})

test('another target is not touched by that', () => {
  const { gate, fail } = setUp()
  fail(100)
  expect([gate.waitMs('other'), gate.limit('other'), gate.isSuspended('other')]).toEqual([
    0,
    4,
    false,
  ])
})

test('a target that asks for it is left alone, for a minute at most', () => {
  const { gate, pass } = setUp()
  gate.onEnd('l', { answered: true, pauseMs: 7_000 })
  expect(gate.waitMs('l')).toBe(7_000)
  gate.onEnd('l', { answered: true, pauseMs: 1_000 })
  expect(gate.waitMs('l')).toBe(7_000)
  pass(7_000)
  expect(gate.waitMs('l')).toBe(0)
  gate.onEnd('l', { answered: true, pauseMs: 3_600_000 })
  expect(gate.waitMs('l')).toBe(60_000)
})

test('calls keep to the rate in the long run, and what was not used is not saved up', () => {
  const { gate, pass } = setUp({ optionsOf: () => ({ concurrency: 4, rate: 10 }) })
  let began = 0
  const run = (ms: number) => {
    for (let n = 0; n < ms; n++) {
      for (; gate.waitMs('l') === 0; began++) gate.onStart('l')
      pass(1)
    }
  }
  run(10_000)
  expect(began).toBeGreaterThanOrEqual(100)
  expect(began).toBeLessThanOrEqual(103)
  pass(60_000)
  began = 0
  run(1_000)
  expect(began).toBeLessThanOrEqual(12)
})
