import { expect, test } from '@jest/globals'
import { isExpired } from './is-expired.ts'

test('isExpired: true from the time `expiresAt` on, false before and without this time', () => {
  expect(isExpired({ expiresAt: new Date(1_000) }, 1_000)).toBe(true)
  expect(isExpired({ expiresAt: new Date(1_001) }, 1_000)).toBe(false)
  expect(isExpired({ expiresAt: null }, 1_000)).toBe(false)
})
