import { expect, test } from '@jest/globals'
import { readRetryAfter, readRetryAfterText } from './retry-after.ts'

const hour = 3_600_000
const now = Date.parse('2026-09-01T10:00:00Z')
const read = (value: string, date?: string) =>
  readRetryAfter(
    { 'retry-after': value, ...(date === undefined ? {} : { date }) },
    { maxMs: hour, ...(date === undefined ? { now } : {}) },
  )

test.each([
  ['1', 1_000],
  ['120', 120_000],
  [' 30 ', 30_000],
  ['0.5', 500],
  ['0.249', 249],
  ['Tue, 01 Sep 2026 10:01:30 GMT', 90_000],
  ['Tuesday, 01-Sep-26 10:01:30 GMT', 90_000],
  ['Tue Sep  1 10:01:30 2026', 90_000],
  ['2026-09-01T10:01:30Z', 90_000],
  ['2026-09-01T12:01:30.500+02:00', 90_500],
  ['3601', hour],
  ['999999999999999', hour],
  ['Wed, 01 Jan 2098 00:00:00 GMT', hour],
])('readRetryAfter: %j is %d ms', (value, delayMs) => expect(read(value)).toBe(delayMs))

test.each([
  '',
  '0',
  '0.0',
  '-1',
  '-0.5',
  'NaN',
  'Infinity',
  '1e9',
  '0x10',
  '1,2',
  '.5',
  '5.',
  '9999999999999999999999',
  'soon',
  '10 s',
  'Tue, 01 Sep 2026 09:59:59 GMT',
  'Tue, 99 Sep 2026 10:01:30 GMT',
  '2026-13-01T10:01:30Z',
  '2026-09-01',
])('readRetryAfter: %j is not usable', (value) => expect(read(value)).toBeUndefined())

test('readRetryAfter: a long header is not usable', () => {
  for (const character of 'x9 .') expect(read(character.repeat(100_000))).toBeUndefined()
})

test('readRetryAfter: absent is not usable, a date counts from the clock of the server', () => {
  expect(readRetryAfter({}, { maxMs: hour })).toBeUndefined()
  const at = 'Tue, 01 Sep 2026 10:01:30 GMT'
  expect(read(at, 'Tue, 01 Sep 2026 10:01:00 GMT')).toBe(30_000)
  expect(read(at, 'Tue, 01 Sep 2026 11:00:00 GMT')).toBeUndefined()
})

test.each([
  ['User-rate limit exceeded.  Retry after 2026-09-01T10:15:00.000Z', 900_000],
  ['User-rate limit exceeded.  Retry after 2026-09-01T10:00:01.000Z (Mail sending)', 1_000],
  ['Retry after 2026-09-09T10:00:00.000Z', hour],
  ['Retry after 2026-09-01T09:59:00.000Z', undefined],
  ['Retry after tomorrow', undefined],
  ['<p>The server is busy. Please try again in 30 seconds.', 30_000],
  ['', undefined],
])('readRetryAfterText: %j is %p ms', (text, delayMs) =>
  expect(readRetryAfterText(text, { date: 'Tue, 01 Sep 2026 10:00:00 GMT' }, hour)).toBe(delayMs),
)
