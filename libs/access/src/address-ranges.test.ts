import { expect, test } from '@jest/globals'
import { addressAllowed } from './address-ranges.ts'

test.each([
  [undefined, '1.2.3.4', true],
  [[], '1.2.3.4', true],
  [['1.2.3.4'], '1.2.3.4', true],
  [['1.2.3.0/24'], '1.2.3.4', true],
  [['1.2.3.0/24'], '1.2.4.4', false],
  [['2001:db8::/32'], '2001:db8::1', true],
  [['127.0.0.1'], '::ffff:127.0.0.1', true],
  [['0.0.0.0/0'], '9.9.9.9', true],
  [['nonsense', '1.2.3.4/99', '1.2.3.4/'], '1.2.3.4', false],
  [['1.2.3.4'], 'nonsense', false],
])('addressAllowed: ranges %p contain %s: %p', (ranges, address, expected) => {
  expect(addressAllowed(ranges, address)).toBe(expected)
})
