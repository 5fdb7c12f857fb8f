import { expect, test } from '@jest/globals'
import { findStep, newSeed } from './one-time-codes.ts'

/** Seed of the test vectors in RFC 6238: `12345678901234567890`. */
const seed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('findStep: vector of RFC 6238 at %d s, is found', (seconds, code) => {
  expect(findStep(seed, code, seconds * 1_000)).toBe(Math.floor(seconds / 30))
})

test.each([
  [-2, undefined],
  [-1, 37_037_036],
  [0, 37_037_036],
  [1, 37_037_036],
  [2, undefined],
])('findStep: code of step 37037036 after %d steps, step %s', (steps, step) => {
  expect(findStep(seed, '081804', (1_111_111_080 + steps * 30) * 1_000)).toBe(step)
})

test.each(['081805', '81804', '0081804', '08180４', '', ' 081804'])(
  'findStep: code "%s", is wrong',
  (code) => {
    expect(findStep(seed, code, 1_111_111_109_000)).toBeUndefined()
  },
)

test('newSeed: is 160 random bits in base32', () => {
  expect(newSeed()).toMatch(/^[A-Z2-7]{32}$/)
  expect(newSeed()).not.toBe(newSeed())
})
