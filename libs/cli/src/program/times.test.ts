import { describe, expect, test } from '@jest/globals'
import { UsageError } from '../exit-codes.ts'
import { commaSeparated, localTime, timeAfter, timeBefore } from './times.ts'

const now = Date.parse('2030-01-31T08:00:00.000Z')

describe('timeBefore, timeAfter', () => {
  test.each([
    ['90s', '2030-01-31T07:58:30.000Z', '2030-01-31T08:01:30.000Z'],
    ['2h', '2030-01-31T06:00:00.000Z', '2030-01-31T10:00:00.000Z'],
    ['7d', '2030-01-24T08:00:00.000Z', '2030-02-07T08:00:00.000Z'],
    ['2030-01-01', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T10:00:00+02:00', '2030-01-01T08:00:00.000Z', '2030-01-01T08:00:00.000Z'],
  ])('%s', (text, before, after) => {
    expect(timeBefore(text, now)).toBe(before)
    expect(timeAfter(text, now)).toBe(after)
  })

  test.each(['', '1', '2 h', 'yesterday', '-2h', '2030-99-99', '99999999999999d'])(
    '"%s" is a usage error',
    (text) => expect(() => timeBefore(text, now)).toThrow(UsageError),
  )
})

test('commaSeparated: texts without spaces around them; an empty text is an error', () => {
  expect(commaSeparated('messageNew, messageSent')).toEqual(['messageNew', 'messageSent'])
  expect(() => commaSeparated('messageNew,')).toThrow(UsageError)
})

test('localTime: no time has no text', () => {
  expect(localTime(null)).toBeUndefined()
  expect(localTime(new Date(2030, 0, 5, 8, 7, 9).toISOString())).toBe('2030-01-05 08:07:09')
})
