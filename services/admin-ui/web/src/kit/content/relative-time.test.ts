import { expect, test } from '@jest/globals'
import { relativeTime } from './relative-time.ts'

const now = new Date('2026-03-10T12:00:00Z')

test.each([
  ['2026-03-10T11:59:58Z', 'now'],
  ['2026-03-10T11:59:30Z', '30 seconds ago'],
  ['2026-03-10T11:57:01Z', '2 minutes ago'],
  ['2026-03-10T14:10:00Z', 'in 2 hours'],
  ['2026-03-07T11:00:00Z', '3 days ago'],
  ['2026-01-05T12:00:00Z', '5 Jan 2026'],
])('relativeTime: %s is %s', (value, expected) => {
  expect(relativeTime(new Date(value), now)).toBe(expected)
})
