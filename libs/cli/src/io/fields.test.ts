import { expect, test } from '@jest/globals'
import { addressText, bytesText, countText, fieldLines } from './fields.ts'

test('fieldLines: aligns values, leaves out lines without a value', () => {
  expect(
    fieldLines([
      ['account', 'anna'],
      ['name', ''],
      ['events', 0],
      ['proxy', undefined],
    ]),
  ).toEqual(['account  anna', 'events   0'])
})

test('addressText: name and address, or what there is', () => {
  expect(addressText({ name: 'Ben', address: 'b@example.com' })).toBe('Ben <b@example.com>')
  expect(addressText({ address: 'b@example.com' })).toBe('b@example.com')
  expect(addressText(undefined)).toBe('')
})

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_500, '1.5 kB'],
  [2_000_000_000, '2.0 GB'],
])('bytesText: %d', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

test('countText: one and many', () => {
  expect([countText(1, 'message'), countText(0, 'message')]).toEqual(['1 message', '0 messages'])
})
