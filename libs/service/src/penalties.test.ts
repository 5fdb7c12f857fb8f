import { expect, test } from '@jest/globals'
import { network, plainAddress } from './addresses.ts'
import { Penalties } from './penalties.ts'
import { Places } from './places.ts'

test('the first wrong token costs nothing, each further one doubles the wait, up to a quarter of a minute', () => {
  const penalties = new Penalties(() => 0)
  const waits = Array.from({ length: 9 }, () => penalties.failed('10.0.0.1', 'a'))
  expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  expect(penalties.failed('10.0.0.2', 'a')).toBe(0)
})

test('an address that goes through accounts waits longer and longer for its refusals', () => {
  const penalties = new Penalties(() => 0)
  const waits = Array.from({ length: 100 }, (_, n) => penalties.failed('10.0.0.1', `account-${n}`))
  expect(waits.slice(0, 7)).toEqual([0, 0, 0, 0, 0, 250, 500])
  expect(waits.at(-1)).toBe(15_000)
})

test('an account that is guessed at from everywhere makes everybody who guesses wait', () => {
  const penalties = new Penalties(() => 0)
  const waits = Array.from({ length: 100 }, (_, n) => penalties.failed(`10.0.0.${n}`, 'a'))
  expect(waits.slice(18, 22)).toEqual([0, 0, 250, 500])
  expect(waits.at(-1)).toBe(15_000)
  expect(penalties.failed('10.0.1.1', 'b')).toBe(0)
})

test('a success and a quarter of an hour forget', () => {
  let now = 0
  const penalties = new Penalties(() => now)
  penalties.failed('10.0.0.1', 'a')
  penalties.succeeded('10.0.0.1', 'a')
  expect(penalties.failed('10.0.0.1', 'a')).toBe(0)
  now = 15 * 60_000
  expect(penalties.failed('10.0.0.1', 'a')).toBe(0)
  expect(penalties.failed('10.0.0.1', 'a')).toBe(500)
})

test('a /64 is one address', () => {
  expect(network('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2')
  expect(network('2001:db8:1:2::9')).toBe('2001:db8:1:2')
  expect(network('192.0.2.1')).toBe('192.0.2.1')
})

test('a place is given back once', () => {
  const places = new Places(1)
  const first = places.take('a')
  expect(places.take('a')).toBeUndefined()
  expect(places.take('b')).toBeDefined()
  first?.[Symbol.dispose]()
  const second = places.take('a')
  first?.[Symbol.dispose]()
  expect(second).toBeDefined()
  expect(places.take('a')).toBeUndefined()
})

test('addresses as people write them', () => {
  expect(plainAddress('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(plainAddress('fe80::1%eth0')).toBe('fe80::1')
  expect(plainAddress(undefined)).toBe('')
})
