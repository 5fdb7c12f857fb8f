import { expect, test } from '@jest/globals'
import { resultOf } from './call-counter.ts'

test.each([
  [200, 'done'],
  [304, 'done'],
  [400, 'refused'],
  [429, 'refused'],
  [500, 'failed'],
  [504, 'failed'],
  [undefined, 'ended'],
])('resultOf: status %s, %s', (status, expected) => {
  expect(resultOf({ outcome: 'x', ...(status !== undefined && { status }) })).toBe(expected)
})
