import { expect, test } from '@jest/globals'
import type { CircuitBreaker } from '@posthorn/flow'
import { createBreaker, recordFailure } from './summaries.ts'

function setUp() {
  const clock = { now: 1 }
  return { clock, breaker: createBreaker(() => clock.now) }
}

function fail(breaker: CircuitBreaker, times: number): void {
  for (let time = 0; time < times; time++) {
    expect(breaker.tryAcquire()).toBe(true)
    recordFailure(breaker)
  }
}

test('createBreaker: after 3 failures, admits one probe at growing intervals of 30 s to 10 min', () => {
  const { clock, breaker } = setUp()
  fail(breaker, 3)
  for (const openMs of [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]) {
    expect(breaker.tryAcquire()).toBe(false)
    clock.now += openMs - 1
    expect(breaker.tryAcquire()).toBe(false)
    clock.now += 1
    expect(breaker.tryAcquire()).toBe(true)
    expect(breaker.tryAcquire()).toBe(false) // the circuit breaker permits one probe at a time
    recordFailure(breaker)
  }
})

test('createBreaker: a success resets failures and intervals', () => {
  const { clock, breaker } = setUp()
  fail(breaker, 2)
  expect(breaker.tryAcquire()).toBe(true)
  breaker.success()
  fail(breaker, 3)
  clock.now += 30_000
  expect(breaker.tryAcquire()).toBe(true)
  breaker.success()
  expect([breaker.tryAcquire(), breaker.tryAcquire(), breaker.tryAcquire()]).toEqual([
    true,
    true,
    true,
  ])
})

test('createBreaker: concurrent failures open once, and Retry-After is limited to 10 min', () => {
  const { clock, breaker } = setUp()
  for (let time = 0; time < 10; time++) breaker.tryAcquire()
  for (let time = 0; time < 10; time++) recordFailure(breaker)
  clock.now += 30_000
  expect(breaker.tryAcquire()).toBe(true)

  const limited = setUp()
  limited.breaker.tryAcquire()
  recordFailure(limited.breaker, 2_000)
  expect(limited.breaker.tryAcquire()).toBe(false)
  limited.clock.now += 2_000
  expect(limited.breaker.tryAcquire()).toBe(true)
  recordFailure(limited.breaker, 86_400_000)
  limited.clock.now += 600_000
  expect(limited.breaker.tryAcquire()).toBe(true)
})

test('createBreaker: a cancelled probe admits the next one, and reset closes', () => {
  const { clock, breaker } = setUp()
  fail(breaker, 3)
  clock.now += 30_000
  expect(breaker.tryAcquire()).toBe(true)
  breaker.cancel()
  expect(breaker.tryAcquire()).toBe(true)
  recordFailure(breaker)
  expect(breaker.tryAcquire()).toBe(false)
  breaker.reset()
  expect([breaker.tryAcquire(), breaker.tryAcquire()]).toEqual([true, true])
})
