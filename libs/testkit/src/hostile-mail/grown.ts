import { fill, type HostileMessage, rawMessage, usualHead } from './hostile-message.ts'

/**
 * Sizes of the generated test messages along one dimension, such as the number of recipients,
 * smallest first.
 */
export const growthSteps = [10, 100, 1_000, 10_000, 50_000] as const

/**
 * Maximum bytes of a generated message. A larger message is left out, except for the first size.
 */
const maxLength = 4 * 1024 * 1024

const from = 'From: Ann <ann@example.com>\r\nSubject: grown\r\nMIME-Version: 1.0\r\n'
const body = '\r\nhello\r\n'
const count = <T>(size: number, one: (at: number) => T) =>
  Array.from({ length: size }, (_, at) => one(at))
const lines = (size: number, one: (at: number) => string) => count(size, one).join('\r\n')
/** Address list with one address per line, because header lines have a maximum length. */
const list = (name: string, size: number, one: (at: number) => string) =>
  `${name}: ${count(size, one).join(',\r\n ')}\r\n`

const mixed = (parts: readonly string[]) =>
  `${usualHead}Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`
const attachment = (name: string) =>
  `Content-Type: text/plain\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\nx`

function nest(depth: number): string {
  const open = count(
    depth,
    (at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  )
  return `${usualHead}${open.join('')}\r\nhello\r\n`
}

const event = (uid: string, ...more: string[]) =>
  [
    'BEGIN:VEVENT',
    `UID:${uid}@example.com`,
    'DTSTART:20270101T100000Z',
    ...more,
    'END:VEVENT',
  ].join('\r\n')
const calendar = (...entries: string[]) =>
  [
    'Content-Type: text/calendar; charset=utf-8; method=REQUEST\r\n',
    'BEGIN:VCALENDAR',
    'METHOD:REQUEST',
    ...entries,
    'END:VCALENDAR',
  ].join('\r\n')

/**
 * Functions that generate a message that is large in one dimension, by the name of the dimension,
 * such as `recipients`. The argument is the size.
 */
const dimensions: Readonly<Record<string, (size: number) => string>> = {
  parts: (size) => mixed(count(size, () => '\r\nx')),
  attachments: (size) => mixed(count(size, (at) => attachment(`${at}.txt`))),
  'nested parts': nest,
  'nested messages': (size) => usualHead + 'Content-Type: message/rfc822\r\n\r\n'.repeat(size),
  recipients: (size) => from + list('To', size, (at) => `a${at}@x`) + body,
  'copied recipients': (size) =>
    from + list('Cc', size, (at) => `"Name ${at}" <a${at}@example.com>`) + body,
  'reply addresses': (size) => from + list('Reply-To', size, (at) => `a${at}@x`) + body,
  groups: (size) => from + list('To', size, (at) => `g${at}:;`) + body,
  comments: (size) => `${from}To: a@x ${'(c)\r\n '.repeat(size)}\r\n${body}`,
  'nested comments': (size) => `${from}To: a@x ${'('.repeat(size)}c${')'.repeat(size)}\r\n${body}`,
  'parameters of a type': (size) =>
    `${from}Content-Type: text/plain${lines(size, (at) => `;\r\n p${at}=v`)}\r\n${body}`,
  'parameters of a disposition': (size) =>
    `${from}Content-Disposition: attachment${lines(size, (at) => `;\r\n p${at}=v`)}\r\n${body}`,
  'continued file name': (size) =>
    mixed([
      `Content-Type: text/plain${count(size, (at) => `;\r\n name*${at}=abcdef`).join('')}\r\n\r\nx`,
    ]),
  languages: (size) => from + list('Content-Language', size, () => 'de') + body,
  'header lines': (size) => `${from}${lines(size, (at) => `X-${at}: v`)}\r\n${body}`,
  'length of a header line': (size) => `${from}X-Long: ${'v'.repeat(size)}\r\n${body}`,
  'folded header lines': (size) => `${from}X-Folded: v\r\n${' v\r\n'.repeat(size)}${body}`,
  'length of a subject': (size) => `From: a@x\r\nSubject: ${'word\r\n '.repeat(size)}x\r\n${body}`,
  'encoded words': (size) =>
    `From: a@x\r\nSubject: ${'=?utf-8?q?=C3=A4?=\r\n '.repeat(size)}x\r\n${body}`,
  references: (size) => `${from}References: ${'<a@x>\r\n '.repeat(size)}\r\n${body}`,
  'lines of text': (size) => `${from}${body}${'line\r\n'.repeat(size)}`,
  'calendar entries': (size) => mixed([calendar(...count(size, (at) => event(String(at))))]),
  'calendar parts': (size) =>
    mixed(count(size, (part) => calendar(...count(10, (at) => event(`${part}-${at}`))))),
  'large calendar parts': (size) =>
    mixed(
      count(Math.min(size, 10), (part) =>
        calendar(...count(100, (at) => event(`${part}-${at}`, `DESCRIPTION:${'x'.repeat(1_900)}`))),
      ),
    ),
  'length of a calendar text': (size) =>
    mixed([calendar(event('1', `DESCRIPTION:${'x'.repeat(size)}`))]),
  'calendar attendees': (size) =>
    mixed([calendar(event('1', ...count(size, (at) => `ATTENDEE;RSVP=TRUE:mailto:a${at}@x`)))]),
  'nested calendar components': (size) => mixed([calendar(...count(size, () => 'BEGIN:VEVENT'))]),
  'recurrence rules': (size) =>
    mixed([calendar(event('1', ...count(size, () => 'RRULE:FREQ=SECONDLY;COUNT=99999999')))]),
  'HTML elements': (size) =>
    `${usualHead}Content-Type: text/html\r\n\r\n${fill('<p>x\r\n', Math.min(size * 6, 2_000_000))}`,
}

/** Messages that grow along one dimension each, up to sizes that usual messages do not have. */
export const grownMessages: readonly HostileMessage[] = Object.entries(dimensions).flatMap(
  ([name, build]) => {
    const first = build(growthSteps[0])
    const perSize = (build(2 * growthSteps[0]).length - first.length) / growthSteps[0]
    return growthSteps
      .filter((size, at) => at === 0 || first.length + size * perSize <= maxLength)
      .map((size) => rawMessage(`grown: ${name}, ${size}`, () => build(size)))
  },
)
