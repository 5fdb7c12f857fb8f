import { expect, test } from '@jest/globals'
import { Pause } from './pause.ts'

function setUp() {
  const clock = { now: 1 }
  return { clock, pause: new Pause(() => clock.now) }
}

function fail(pause: Pause, times: number): void {
  for (let time = 0; time < times; time++) {
    expect(pause.begin()).toBe(true)
    pause.failed()
  }
}

test('three failures in a row, and it is left alone; then asked by one at a time, ever less often', () => {
  const { clock, pause } = setUp()
  fail(pause, 3)
  for (const pauseMs of [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]) {
    expect(pause.begin()).toBe(false)
    clock.now += pauseMs - 1
    expect(pause.begin()).toBe(false)
    clock.now += 1
    expect(pause.begin()).toBe(true)
    expect(pause.begin()).toBe(false) // one is out already
    pause.failed()
  }
})

test('one answer, and all is forgotten', () => {
  const { clock, pause } = setUp()
  fail(pause, 2)
  expect(pause.begin()).toBe(true)
  pause.answered()
  fail(pause, 3)
  clock.now += 30_000
  expect(pause.begin()).toBe(true)
  pause.answered()
  expect([pause.begin(), pause.begin(), pause.begin()]).toEqual([true, true, true])
})

test('those that fail side by side make one pause, and what it asked for is granted within bounds', () => {
  const { clock, pause } = setUp()
  for (let time = 0; time < 10; time++) pause.begin()
  for (let time = 0; time < 10; time++) pause.failed()
  clock.now += 30_000
  expect(pause.begin()).toBe(true)

  const limited = setUp()
  limited.pause.begin()
  limited.pause.failed(2_000)
  expect(limited.pause.begin()).toBe(false)
  limited.clock.now += 2_000
  expect(limited.pause.begin()).toBe(true)
  limited.pause.failed(86_400_000)
  limited.clock.now += 600_000
  expect(limited.pause.begin()).toBe(true)
})

test('one that gave up leaves the place to the next, and a change of the settings begins anew', () => {
  const { clock, pause } = setUp()
  fail(pause, 3)
  clock.now += 30_000
  expect(pause.begin()).toBe(true)
  pause.gaveUp()
  expect(pause.begin()).toBe(true)
  pause.failed()
  expect(pause.begin()).toBe(false)
  pause.reset()
  expect([pause.begin(), pause.begin()]).toEqual([true, true])
})
