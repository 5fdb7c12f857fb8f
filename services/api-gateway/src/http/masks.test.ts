import { expect, test } from '@jest/globals'
import { mask, maskHeaders, unmaskHeaders } from './masks.ts'

const stored = [
  { key: 'X-Key', value: 'one' },
  { key: 'X-Other', value: 'two' },
  { key: 'X-Key', value: 'three' },
]

test('unmaskHeaders: masked headers in stored order, returns the stored values', () => {
  expect(unmaskHeaders(maskHeaders(stored), stored)).toEqual(stored)
})

test('unmaskHeaders: a new value beside masked ones, stays as sent', () => {
  const input = [
    { key: 'X-Other', value: mask },
    { key: 'X-New', value: 'four' },
  ]
  expect(unmaskHeaders(input, stored)).toEqual([
    { key: 'X-Other', value: 'two' },
    { key: 'X-New', value: 'four' },
  ])
})

test.each([
  ['for a name that is not stored', 'X-New', mask],
  ['for one of two values of a name', 'X-Key', mask],
  ['inside a longer value', 'X-Other', `Bearer ${mask}`],
])('unmaskHeaders: a mask %s, returns undefined', (_case, key, value) => {
  expect(unmaskHeaders([{ key, value }], stored)).toBeUndefined()
})
