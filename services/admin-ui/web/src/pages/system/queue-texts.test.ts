import { expect, test } from '@jest/globals'
import { countText } from './queue-texts.ts'

test.each([
  [0, '0'],
  [9_999, '9,999'],
  [10_000, '10,000 or more'],
])('countText: of %i is %s', (count, text) => {
  expect(countText(count)).toBe(text)
})
