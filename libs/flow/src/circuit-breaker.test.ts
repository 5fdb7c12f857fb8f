import { expect, test } from '@jest/globals'
import { backoff } from './backoff.ts'
import { CircuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.ts'

function createBreaker(options: Partial<CircuitBreakerOptions> = {}) {
  const time = { now: 0 }
  const breaker = new CircuitBreaker({
    failureThreshold: 3,
    openMs: backoff({ baseMs: 100, maxMs: 300 }),
    clock: () => time.now,
    ...options,
  })
  const fail = (times: number) => {
    for (let n = 0; n < times; n += 1) breaker.failure()
  }
  return { breaker, time, fail }
}

test('CircuitBreaker: opens after the threshold of consecutive failures', () => {
  const { breaker, fail } = createBreaker()
  fail(2)
  breaker.success()
  fail(2)
  expect(breaker.state).toBe('closed')
  expect(breaker.tryAcquire()).toBe(true)
  breaker.failure()
  expect(breaker.state).toBe('open')
  expect(breaker.tryAcquire()).toBe(false)
  expect([breaker.remainingMs, breaker.consecutiveFailures]).toEqual([100, 3])
})

test('CircuitBreaker: half-open, admits one probe at a time and closes on its success', () => {
  const { breaker, time, fail } = createBreaker()
  fail(3)
  time.now = 100
  expect(breaker.state).toBe('half-open')
  expect([breaker.tryAcquire(), breaker.tryAcquire()]).toEqual([true, false])
  breaker.success()
  expect(breaker.state).toBe('closed')
  expect([breaker.tryAcquire(), breaker.tryAcquire()]).toEqual([true, true])
})

test('CircuitBreaker: each failed probe opens it for longer, up to the maximum', () => {
  const { breaker, time, fail } = createBreaker()
  fail(3)
  const durations: number[] = []
  for (let n = 0; n < 4; n += 1) {
    durations.push(breaker.remainingMs)
    time.now += breaker.remainingMs
    expect(breaker.tryAcquire()).toBe(true)
    breaker.failure()
  }
  expect(durations).toEqual([100, 200, 300, 300])
})

test('CircuitBreaker: a cancelled probe lets the next call probe', () => {
  const { breaker, time, fail } = createBreaker()
  fail(3)
  time.now = 100
  expect(breaker.tryAcquire()).toBe(true)
  breaker.cancel()
  expect(breaker.state).toBe('half-open')
  expect(breaker.tryAcquire()).toBe(true)
})

test('CircuitBreaker: failures of calls that began before it opened extend nothing', () => {
  const { breaker, fail } = createBreaker()
  fail(6)
  expect([breaker.remainingMs, breaker.consecutiveFailures]).toEqual([100, 6])
})

test('CircuitBreaker: retryAfterMs blocks calls without counting as opening', () => {
  const { breaker, time } = createBreaker()
  breaker.failure(5_000)
  expect([breaker.state, breaker.remainingMs]).toEqual(['open', 5_000])
  time.now = 5_000
  expect([breaker.tryAcquire(), breaker.tryAcquire()]).toEqual([true, true])
})

test('CircuitBreaker.block: never shortens the time', () => {
  const { breaker } = createBreaker()
  breaker.block(500)
  breaker.block(100)
  breaker.block(0)
  expect([breaker.remainingMs, breaker.consecutiveFailures]).toEqual([500, 0])
})

test('CircuitBreaker: a success while open closes it, unless successCloses is false', () => {
  const { breaker, fail } = createBreaker()
  fail(3)
  breaker.success()
  expect(breaker.isOpen).toBe(false)
  const staying = createBreaker({ successCloses: false })
  staying.fail(3)
  staying.breaker.success()
  expect([staying.breaker.isOpen, staying.breaker.consecutiveFailures]).toEqual([true, 0])
  staying.time.now = 100
  expect(staying.breaker.state).toBe('closed')
})

test('CircuitBreaker: isIdle is true if the state equals that of a new one', () => {
  const { breaker, fail } = createBreaker({ successCloses: false })
  expect(breaker.isIdle).toBe(true)
  fail(3)
  expect(breaker.isIdle).toBe(false)
  breaker.success()
  expect(breaker.isIdle).toBe(false)
  breaker.reset()
  expect(breaker.isIdle).toBe(true)
})
