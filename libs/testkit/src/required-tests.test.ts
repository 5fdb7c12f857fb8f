import { expect, test } from '@jest/globals'
import { reportSkip } from './required-tests.ts'

test.each([[''], ['image']])(
  'reportSkip: a test that %j does not require is skipped',
  (required) => {
    expect(() => reportSkip('upgrade', 'a shallow clone', required)).not.toThrow()
  },
)

test('reportSkip: a required test fails with the reason', () => {
  expect(() => reportSkip('upgrade', 'a shallow clone', 'image,upgrade')).toThrow(
    'the required test "upgrade" cannot run: a shallow clone',
  )
})

test('reportSkip: an unknown name fails, because it would require nothing', () => {
  expect(() => reportSkip('image', 'no engine', 'upgrades')).toThrow(
    'POSTHORN_REQUIRE_TESTS: unknown test "upgrades", use upgrade, image, zsh',
  )
})
