import { expect, test } from '@jest/globals'
import { FunctionThrottle } from './function-throttle.ts'

function setUp() {
  const clock = { now: 1 }
  return { clock, patience: new FunctionThrottle(() => clock.now) }
}

test('a function that is slow three times in a row is left alone, longer each time', () => {
  const { clock, patience } = setUp()
  for (const pauseMs of [10_000, 20_000, 40_000]) {
    const calls = pauseMs === 10_000 ? 3 : 1
    for (let call = 0; call < calls; call++) {
      expect(patience.isOut('a')).toBe(false)
      patience.note('a', 100)
    }
    expect(patience.isOut('a')).toBe(true)
    clock.now += pauseMs - 1
    expect(patience.isOut('a')).toBe(true)
    clock.now += 1
  }
  for (let times = 0; times < 20; times++) {
    clock.now += 600_000
    expect(patience.isOut('a')).toBe(false)
    patience.note('a', 100)
  }
  expect(patience.isOut('b')).toBe(false)
})

test('calls that end while it is left alone make it no longer', () => {
  const { clock, patience } = setUp()
  for (let call = 0; call < 10; call++) patience.note('a', 100)
  clock.now += 10_000
  expect(patience.isOut('a')).toBe(false)
})

test('one call in time, and all is forgotten', () => {
  const { patience } = setUp()
  for (const usedMs of [100, 100, 1, 100, 100]) patience.note('a', usedMs)
  expect(patience.isOut('a')).toBe(false)
})

test('a large payload may take longer', () => {
  const { patience } = setUp()
  for (let call = 0; call < 9; call++) patience.note('a', 100, 60)
  expect(patience.isOut('a')).toBe(false)
})
