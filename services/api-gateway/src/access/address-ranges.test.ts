import { expect, test } from '@jest/globals'
import { addressAllowed } from '@posthorn/access'
import fc from 'fast-check'
import { rangeCovers } from './address-ranges.ts'

test.each([
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '10.1.2.0/24', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.1.2.3', '10.1.2.3/32', true],
  ['10.1.2.3', '10.1.2.0/31', false],
  ['0.0.0.0/0', '255.255.255.255', true],
  ['0.0.0.0/0', '::1', false],
  ['::/0', 'fe80::1', true],
  ['2001:db8::/32', '2001:db8:ffff::/48', true],
  ['2001:db8::/32', '2001:db9::', false],
  ['::ffff:10.0.0.0/104', '::ffff:10.1.2.3', true],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8/128', true],
  ['10.0.0.0/8', 'nonsense', false],
  ['nonsense', '10.0.0.0/8', false],
])('rangeCovers: %s covers %s, %s', (outer, inner, expected) => {
  expect(rangeCovers(outer, inner)).toBe(expected)
})

test('rangeCovers: random ranges, covers iff all addresses are contained', () => {
  // Uses only sixteen neighbouring IP addresses, so that the generated ranges overlap or touch.
  const last = fc.integer({ min: 0, max: 15 })
  const family = fc.constantFrom(
    { head: '10.0.0.', width: 32, radix: 10 },
    { head: 'fd00::', width: 128, radix: 16 },
  )
  const size = fc.integer({ min: 0, max: 4 })
  fc.assert(
    fc.property(
      family,
      fc.tuple(last, size),
      fc.tuple(last, size),
      ({ head, width, radix }, outer, inner) => {
        const written = ([number, bits]: [number, number]) =>
          `${head}${number.toString(radix)}/${width - bits}`
        const [whole, part] = [written(outer), written(inner)]
        const all = Array.from({ length: 16 }, (_, n) => head + n.toString(radix))
        const covered = all.every(
          (address) => !addressAllowed([part], address) || addressAllowed([whole], address),
        )
        expect(rangeCovers(whole, part)).toBe(covered)
      },
    ),
    { numRuns: 500 },
  )
})
