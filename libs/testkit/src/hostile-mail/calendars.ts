import { calendarMessage, fill, type HostileMessage } from './hostile-message.ts'

const maxLength = 500_000

const event = (uid: number | string, ...lines: string[]) => [
  'BEGIN:VEVENT',
  `UID:${uid}@example.com`,
  ...lines,
  'END:VEVENT',
]

const observance = (kind: string, start: string, rule: string) => [
  `BEGIN:${kind}`,
  `DTSTART:${start}`,
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  rule,
  `END:${kind}`,
]

/** iCalendar time zone with `count` observances that have changed every year since `year`. */
function zone(name: string, { count = 2, year = '0001', rule = 'RRULE:FREQ=YEARLY' } = {}) {
  const kinds = Array.from({ length: count }, (_, at) => (at % 2 === 0 ? 'STANDARD' : 'DAYLIGHT'))
  const lines = kinds.flatMap((kind, at) =>
    observance(kind, `${year}0101T0${at % 10}0000`, `${rule};BYDAY=-1SU;BYMONTH=${(at % 12) + 1}`),
  )
  return ['BEGIN:VTIMEZONE', `TZID:${name}`, ...lines, 'END:VTIMEZONE']
}

const list = <T>(count: number, one: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => one(at))
const at = (year: number, name: string) => `DTSTART;TZID=${name}:${year}0601T120000`

const calendars: [string, () => string[]][] = [
  [
    'zones that begin in year 1',
    () => [
      ...list(5, (n) => zone(`z${n}`, { count: 4 })).flat(),
      ...list(5, (n) => event(n, at(2_026, `z${n}`))).flat(),
    ],
  ],
  [
    'zone of 20 observances in 100 years',
    () => [...zone('z', { count: 20 }), ...list(100, (n) => event(n, at(1_970 + n, 'z'))).flat()],
  ],
  [
    '100 zones of 20 observances',
    () => [
      ...list(100, (n) => zone(`z${n}`, { count: 20 })).flat(),
      ...list(100, (n) => event(n, at(2_026, `z${n}`))).flat(),
    ],
  ],
  [
    'zone of 1,000 observances',
    () => [...zone('z', { count: 1_000 }), ...event(1, at(2_026, 'z'))],
  ],
  [
    'zone with rules that ended in year 9',
    () => [
      ...zone('z', { rule: 'RRULE:FREQ=YEARLY;UNTIL=00090101T000000' }),
      ...event(1, at(2_026, 'z')),
    ],
  ],
  [
    'zone with a rule per second',
    () => [...zone('z', { rule: 'RRULE:FREQ=SECONDLY' }), ...event(1, at(2_026, 'z'))],
  ],
  [
    'zone with a rule that never matches',
    () => [...zone('z', { rule: 'RRULE:FREQ=YEARLY;BYMONTHDAY=31' }), ...event(1, at(2_026, 'z'))],
  ],
  [
    'events in 400 IANA zones',
    () =>
      list(100, (n) =>
        event(n, `DTSTART;TZID=${Intl.supportedValuesOf('timeZone')[n * 4]}:20260601T120000`),
      ).flat(),
  ],
  ['events in unknown zones', () => list(100, (n) => event(n, at(2_026, `x${n}`))).flat()],
  ['10,000 events', () => list(10_000, (n) => event(n)).flat()],
  ['20,000 properties', () => event(1, ...list(20_000, (n) => `X-${n}:1`))],
  ['20,000 summaries', () => event(1, ...list(20_000, () => 'SUMMARY:x'))],
  ['50,000 parameters', () => event(1, `DTSTART${fill(';A=B', 200_000)}:20260101T120000Z`)],
  ['50,000 quoted parameters', () => event(1, `SUMMARY${fill(';A=":"', 300_000)}:x`)],
  ['quote without end', () => event(1, `SUMMARY;A="${fill(':;', maxLength)}`)],
  [
    '50,000 attendees',
    () =>
      event(1, ...list(10_000, (n) => `ATTENDEE;CN=a;ROLE=b;RSVP=TRUE:mailto:a${n}@example.com`)),
  ],
  [
    'list of 30,000 dates',
    () => event(1, `EXDATE:${fill('20260101T120000,', maxLength)}20260101T120000`),
  ],
  [
    'zone with 30,000 dates',
    () => [
      'BEGIN:VTIMEZONE',
      'TZID:z',
      ...observance(
        'STANDARD',
        '19700101T000000',
        `RDATE:${fill('20260101T120000,', maxLength)}20260101T120000`,
      ),
      'END:VTIMEZONE',
      ...event(1, at(2_026, 'z')),
    ],
  ],
  ['description of escapes', () => event(1, `DESCRIPTION:${fill('\\n\\,', maxLength)}`)],
  ['160,000 folded lines', () => event(1, `DESCRIPTION:a${fill('\r\n ', maxLength)}`)],
  [
    'attachment of 500 kB',
    () => event(1, `ATTACH;ENCODING=BASE64;VALUE=BINARY:${fill('A', maxLength)}`),
  ],
  ['40,000 nested components', () => list(40_000, () => 'BEGIN:X')],
  ['20,000 nested events', () => list(20_000, () => 'BEGIN:VEVENT')],
  ['rule of 500 kB', () => event(1, `RRULE:FREQ=DAILY;BYDAY=${fill('MO,', maxLength)}MO`)],
  ['lines without a colon', () => list(100_000, () => 'x')],
]

export const hostileCalendars: HostileMessage[] = calendars.map(([name, lines]) =>
  calendarMessage(name, lines),
)
