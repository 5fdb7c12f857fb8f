import { expect, test } from '@jest/globals'
import { parseRange } from './byte-range.ts'

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-', { start: 0, end: 99 }],
  ['bytes=40-59', { start: 40, end: 59 }],
  ['Bytes = 40-59', { start: 40, end: 59 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=99-99999999999999999999999', { start: 99, end: 99 }],
  ['bytes=-1', { start: 99, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
])('parseRange: %s of 100 bytes', (header, range) => {
  expect(parseRange(header, 100)).toEqual(range)
})

test.each(['bytes=100-', 'bytes=100-200', 'bytes=99999999999999999999999-', 'bytes=-0'])(
  'parseRange: %s of 100 bytes, unsatisfiable',
  (header) => expect(parseRange(header, 100)).toBe('unsatisfiable'),
)

test.each([
  undefined,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=5-4',
  'bytes=a-b',
  'bytes=1-2,4-5',
  'items=0-1',
  'bytes=+1-2',
  'bytes=1-2-3',
])('parseRange: %s, ignored', (header) => expect(parseRange(header, 100)).toBeUndefined())
