import { expect, test } from '@jest/globals'
import { mask, maskHeaders, unmaskHeaders } from './masks.ts'

const stored = [
  { key: 'X-Key', value: 'one' },
  { key: 'X-Other', value: 'two' },
  { key: 'X-Key', value: 'three' },
]

test('headers that are sent back hidden are what they were, each in its place', () => {
  expect(unmaskHeaders(maskHeaders(stored), stored)).toEqual(stored)
})

test('a new value stands for itself, beside hidden ones', () => {
  const given = [
    { key: 'X-Other', value: mask },
    { key: 'X-New', value: 'four' },
  ]
  expect(unmaskHeaders(given, stored)).toEqual([
    { key: 'X-Other', value: 'two' },
    { key: 'X-New', value: 'four' },
  ])
})

test.each([
  ['a name that was not there', 'X-New', mask],
  ['one of two of a name', 'X-Key', mask],
  ['a part of a value', 'X-Other', `Bearer ${mask}`],
])('what is hidden cannot be told: %s', (_what, key, value) => {
  expect(unmaskHeaders([{ key, value }], stored)).toBeUndefined()
})
