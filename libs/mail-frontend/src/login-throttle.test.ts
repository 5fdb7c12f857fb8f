import { expect, test } from '@jest/globals'
import { LoginThrottle } from './login-throttle.ts'

test('LoginThrottle: with repeated failures of one pair, doubles the delay up to 15 s', () => {
  const throttle = new LoginThrottle(() => 0)
  const waits = Array.from({ length: 9 }, () => throttle.recordFailure('10.0.0.1', 'a'))
  expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  expect(throttle.recordFailure('10.0.0.2', 'a')).toBe(0)
})

test('LoginThrottle: with one address failing at many accounts, adds 250 ms per failure', () => {
  const throttle = new LoginThrottle(() => 0)
  const waits = Array.from({ length: 100 }, (_, n) =>
    throttle.recordFailure('10.0.0.1', `account-${n}`),
  )
  expect(waits.slice(0, 7)).toEqual([0, 0, 0, 0, 0, 250, 500])
  expect(waits.at(-1)).toBe(15_000)
})

test('LoginThrottle: with one account failing from many addresses, adds 250 ms per failure', () => {
  const throttle = new LoginThrottle(() => 0)
  const waits = Array.from({ length: 100 }, (_, n) => throttle.recordFailure(`10.0.0.${n}`, 'a'))
  expect(waits.slice(18, 22)).toEqual([0, 0, 250, 500])
  expect(waits.at(-1)).toBe(15_000)
  expect(throttle.recordFailure('10.0.1.1', 'b')).toBe(0)
})

test('LoginThrottle: after a success or 15 minutes, starts without a delay', () => {
  let now = 0
  const throttle = new LoginThrottle(() => now)
  throttle.recordFailure('10.0.0.1', 'a')
  throttle.recordSuccess('10.0.0.1', 'a')
  expect(throttle.recordFailure('10.0.0.1', 'a')).toBe(0)
  now = 15 * 60_000
  expect(throttle.recordFailure('10.0.0.1', 'a')).toBe(0)
  expect(throttle.recordFailure('10.0.0.1', 'a')).toBe(500)
})
