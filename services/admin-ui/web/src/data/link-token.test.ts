import { expect, test } from '@jest/globals'
import { tokenOf } from './link-token.ts'

test.each([
  ['#token=a-b_c', '', 'a-b_c'],
  ['#a-b_c', '', 'a-b_c'],
  ['', '?token=abc', 'abc'],
  ['', '', ''],
])('tokenOf: %s%s is %s', (hash, search, expected) => {
  expect(tokenOf({ hash, search })).toBe(expected)
})
