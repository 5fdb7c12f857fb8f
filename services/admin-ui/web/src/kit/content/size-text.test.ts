import { expect, test } from '@jest/globals'
import { sizeText } from './size-text.ts'

test.each([
  [undefined, '–'],
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_500, '1.5 kB'],
  [1_500_000, '1.5 MB'],
  [107_374_182_400, '107.4 GB'],
  [5_000_000_000_000_000, '5,000 TB'],
])('sizeText: %s bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
