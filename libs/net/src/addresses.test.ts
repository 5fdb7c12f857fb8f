import { expect, test } from '@jest/globals'
import { networkOf, plainAddress } from './addresses.ts'

test('networkOf: returns the /64 of IPv6 and IPv4 unchanged', () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2')
  expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2')
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1')
})

test('plainAddress: removes the IPv4-mapped prefix and the zone id', () => {
  expect(plainAddress('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(plainAddress('fe80::1%eth0')).toBe('fe80::1')
  expect(plainAddress(undefined)).toBe('')
})
