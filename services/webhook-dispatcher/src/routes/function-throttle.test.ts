import { expect, test } from '@jest/globals'
import { FunctionThrottle } from './decide.ts'

function setUp() {
  const clock = { now: 1 }
  return { clock, throttle: new FunctionThrottle(() => clock.now) }
}

test('FunctionThrottle: suspends after 3 consecutive slow calls, longer each time', () => {
  const { clock, throttle } = setUp()
  for (const suspendMs of [10_000, 20_000, 40_000]) {
    const calls = suspendMs === 10_000 ? 3 : 1
    for (let call = 0; call < calls; call++) {
      expect(throttle.isSuspended('a')).toBe(false)
      throttle.record('a', 100)
    }
    expect(throttle.isSuspended('a')).toBe(true)
    clock.now += suspendMs - 1
    expect(throttle.isSuspended('a')).toBe(true)
    clock.now += 1
  }
  for (let times = 0; times < 20; times++) {
    clock.now += 600_000
    expect(throttle.isSuspended('a')).toBe(false)
    throttle.record('a', 100)
  }
  expect(throttle.isSuspended('b')).toBe(false)
})

test('FunctionThrottle: calls that end during a suspension do not extend it', () => {
  const { clock, throttle } = setUp()
  for (let call = 0; call < 10; call++) throttle.record('a', 100)
  clock.now += 10_000
  expect(throttle.isSuspended('a')).toBe(false)
})

test('FunctionThrottle: one fast call resets the count', () => {
  const { throttle } = setUp()
  for (const usedMs of [100, 100, 1, 100, 100]) throttle.record('a', usedMs)
  expect(throttle.isSuspended('a')).toBe(false)
})

test('FunctionThrottle: allowedMs extends the limit of a slow call', () => {
  const { throttle } = setUp()
  for (let call = 0; call < 9; call++) throttle.record('a', 100, 60)
  expect(throttle.isSuspended('a')).toBe(false)
})
