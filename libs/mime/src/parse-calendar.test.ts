import { expect, test } from '@jest/globals'
import { fastestCpuMs } from '@posthorn/testkit'
import fc from 'fast-check'
import { parseCalendar } from './parse-calendar.ts'

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: string[]) => [
  'BEGIN:VEVENT',
  'UID:one@example.com',
  ...lines,
  'END:VEVENT',
]
const outlookZone = [
  'BEGIN:VTIMEZONE',
  'TZID:W. Europe Standard Time',
  'BEGIN:STANDARD',
  'DTSTART:16010101T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
]

test('parseCalendar: returns summary, times and organizer of an invitation', () => {
  const text = calendar(
    'METHOD:request',
    ...event(
      'SUMMARY:Tea\\, and more',
      'DESCRIPTION:In the\\ngarden',
      'ORGANIZER;CN=Ann:mailto:ann@example.com',
      'DTSTART;TZID=Europe/Berlin:20260703T153000',
      'DTEND;TZID=Europe/Berlin:20260703T163000',
    ),
  )
  expect(parseCalendar(text)).toEqual({
    method: 'REQUEST',
    entries: [
      {
        uid: 'one@example.com',
        summary: 'Tea, and more',
        description: 'In the\ngarden',
        organizer: 'mailto:ann@example.com',
        timezone: 'Europe/Berlin',
        startDate: '2026-07-03T13:30:00.000Z',
        endDate: '2026-07-03T14:30:00.000Z',
      },
    ],
  })
})

test.each([
  ['UTC', ['DTSTART:20260101T120000Z'], '2026-01-01T12:00:00.000Z'],
  ['a whole day', ['DTSTART;VALUE=DATE:20260101'], '2026-01-01'],
  ['no zone', ['DTSTART:20260101T120000'], '2026-01-01T12:00:00'],
  ['an unknown zone', ['DTSTART;TZID=Nowhere:20260101T120000'], '2026-01-01T12:00:00'],
  ['winter', ['DTSTART;TZID=W. Europe Standard Time:20260101T120000'], '2026-01-01T11:00:00.000Z'],
  ['summer', ['DTSTART;TZID=W. Europe Standard Time:20260701T120000'], '2026-07-01T10:00:00.000Z'],
  [
    'a zone west of Greenwich',
    ['DTSTART;TZID=America/New_York:20260308T033000'],
    '2026-03-08T07:30:00.000Z',
  ],
])('parseCalendar: start of an event with %s', (_, lines, startDate) => {
  const [entry] = parseCalendar(calendar(...outlookZone, ...event(...lines))).entries
  expect(entry?.startDate).toBe(startDate)
})

test('parseCalendar: DURATION defines the end', () => {
  const [entry] = parseCalendar(
    calendar(...event('DTSTART:20260101T120000Z', 'DURATION:PT90M')),
  ).entries
  expect(entry?.endDate).toBe('2026-01-01T13:30:00.000Z')
})

test('parseCalendar: a series with changed instances is one entry', () => {
  const { entries } = parseCalendar(
    calendar(
      ...event('RECURRENCE-ID:20260102T120000Z', 'SUMMARY:moved'),
      ...event('DTSTART:20260101T120000Z', 'RRULE:FREQ=DAILY', 'SUMMARY:series'),
    ),
  )
  expect(entries.map(({ summary }) => summary)).toEqual(['series'])
})

test('parseCalendar: does not expand unbounded recurrence rules', () => {
  const hostile = outlookZone.map((line) =>
    line.startsWith('RRULE') ? 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30' : line,
  )
  const text = calendar(
    ...hostile,
    ...event('DTSTART;TZID=W. Europe Standard Time:20260101T120000', 'RRULE:FREQ=SECONDLY'),
  )
  expect(parseCalendar(text).entries[0]?.startDate).toBe('2026-01-01T12:00:00')
})

test('parseCalendar: zone whose rules begin in year 1 or ended, returns the offset', () => {
  const text = (rule: string) =>
    calendar(
      ...outlookZone
        .map((line) => line.replace('DTSTART:1601', 'DTSTART:0001'))
        .map((line) => (line.includes('BYMONTH=3') ? `${line}${rule}` : line)),
      ...event('DTSTART;TZID=W. Europe Standard Time:20260701T120000'),
    )
  expect(parseCalendar(text('')).entries[0]?.startDate).toBe('2026-07-01T10:00:00.000Z')
  // The time zone of the calendar has no summer time since 1990.
  expect(parseCalendar(text(';UNTIL=19900401T000000')).entries[0]?.startDate).toBe(
    '2026-07-01T11:00:00.000Z',
  )
})

test('parseCalendar: parameters, unknown properties and components do not change the entry', () => {
  const { entries } = parseCalendar(
    calendar(
      ...event(
        'SUMMARY;LANGUAGE=en;ALTREP="cid:a":Tea:',
        ' now',
        'X-UNKNOWN;A="x:y;z":1',
        'BEGIN:VALARM',
        'DESCRIPTION:alarm',
        'BEGIN:VEVENT',
        'END:VEVENT',
        'END:VALARM',
        'DTSTART;VALUE=DATE:20260101',
      ),
    ),
  )
  expect(entries).toEqual([{ uid: 'one@example.com', summary: 'Tea:now', startDate: '2026-01-01' }])
})

test('parseCalendar: zones that begin in year 1, blocks for less than 300 ms', () => {
  const zone = (name: string) =>
    outlookZone.map((line) => line.replace('W. Europe Standard Time', name).replace('1601', '0001'))
  const names = Array.from({ length: 20 }, (_, at) => `zone ${at}`)
  const text = calendar(
    ...names.flatMap(zone),
    ...names.flatMap((name) => [
      'BEGIN:VEVENT',
      `UID:${name}`,
      `DTSTART;TZID=${name}:20260101T120000`,
      'END:VEVENT',
    ]),
  )
  expect(parseCalendar(text).entries[19]?.startDate).toBe('2026-01-01T11:00:00.000Z')
  expect(fastestCpuMs(() => parseCalendar(text), 300)).toBeLessThanOrEqual(300)
})

test('parseCalendar: invalid input, returns no entries', () => {
  for (const text of [
    '',
    'BEGIN:VCALENDAR',
    'hello',
    calendar('BEGIN:VEVENT'),
    'x'.repeat(2_000_000),
  ])
    expect(parseCalendar(text).entries).toEqual([])
})

test('parseCalendar: never throws', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(...event('DTSTART:20260101T120000Z'), ...outlookZone, 'DTEND:99999999T999999Z'),
    fc
      .tuple(
        fc.constantFrom('DTSTART', 'DTEND', 'DURATION', 'UID', 'RRULE', 'ORGANIZER'),
        fc.string(),
      )
      .map(([name, value]) => `${name}:${value}`),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      expect(Array.isArray(parseCalendar(calendar(...event(...lines))).entries)).toBe(true)
    }),
    { numRuns: 300 },
  )
})
