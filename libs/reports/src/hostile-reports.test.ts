import { expect, test } from '@jest/globals'
import { fastestCpuMs } from '@posthorn/testkit'
import { readReport } from './read-report.ts'

// Maximum CPU time of reading one delivery report: the time that the event loop may be blocked.
const maxCpuMs = 300
const size = 250_000

const crlf = (lines: readonly string[]) => Buffer.from(lines.join('\r\n'))
const fill = (piece: string, length = size) => piece.repeat(Math.ceil(length / piece.length))

const head = [
  'From: MAILER-DAEMON@mx.example',
  'To: me@sender.example',
  'Subject: Undelivered Mail Returned to Sender',
]

const prose = (...lines: string[]) => crlf([...head, '', ...lines])

const status = (groups: readonly string[][], text = 'See below.') =>
  crlf([
    ...head,
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    '',
    text,
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    ...groups.flatMap((group) => ['', ...group]),
    '--b--',
  ])

const group = (at: number, ...fields: string[]) => [
  `Final-Recipient: rfc822; user${at}@there.example`,
  'Action: failed',
  ...fields,
]
const groups = (count: number, field: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => group(at, field(at)))

/**
 * Words before which the patterns for delivery reports allow a gap, so that each word starts an
 * attempt to match.
 */
const gapWords =
  'user account mailbox host domain recipient address sender your mail deliverdeliver over authenticat blacklist '

test.each<[string, Buffer]>([
  [
    '60 reasons without a space',
    status(groups(60, (at) => `Diagnostic-Code: smtp; ${at}${fill('x', 4_000)}`)),
  ],
  [
    '60 reasons of words that begin patterns',
    status(groups(60, (at) => `Diagnostic-Code: smtp; ${at} ${fill(gapWords, 4_000)}`)),
  ],
  [
    '1,000 different short reasons',
    status(groups(1_000, (at) => `Diagnostic-Code: smtp; ${at} ${gapWords.slice(at % 40)}`)),
  ],
  [
    '1,000 recipients without a reason and a long text',
    status(
      groups(1_000, () => 'X: y'),
      fill('Dear someone@there.example, user unknown\r\n'),
    ),
  ],
  ['a reason of spaces', status([group(1, `Diagnostic-Code: smtp; 5 in 1${fill(' ')}x`)])],
  ['an address field without an address', status([[`Final-Recipient: rfc822; ${fill('x')}`]])],
  [
    'quoted-printable spaces',
    crlf([...head, 'Content-Transfer-Encoding: quoted-printable', '', fill(' ')]),
  ],
  [
    'a boundary that almost occurs everywhere',
    crlf([
      ...head,
      `Content-Type: multipart/mixed; boundary="${fill('-', 3_000)}x"`,
      '',
      fill('-', 1_000_000),
    ]),
  ],
  [
    'a Message-ID of spaces',
    prose('user unknown', '--- Original message follows', `Message-ID: <${fill(' ')}<`, 'To: x@y'),
  ],
  ...[
    'mail ',
    'deliver',
    'delivery to ',
    'user unknown "\'<',
    ' ',
    '\n',
    ' \n',
    '<',
    "'",
    '"',
    '@',
    'a@',
    'a@b.example ',
    '<a@b.example>\n',
    'user a@b.example, ',
    'rcpt to: ',
    '550 5.1.1 <',
    'Received: from ',
    'final-recipient:\n',
    'Betreff: nicht an ',
    'nicht zugestellt an a@b.example ',
  ].map((piece): [string, Buffer] => [
    `prose of ${JSON.stringify(piece)}`,
    prose('It was not delivered.', fill(piece)),
  ]),
])('readReport: %s, takes no more CPU time than the event loop may be blocked', (_, message) => {
  expect(fastestCpuMs(() => readReport(message), maxCpuMs)).toBeLessThanOrEqual(maxCpuMs)
})

test('readReport: more different reasons than are read, classifies the rest by status', () => {
  const report = readReport(
    status(
      Array.from({ length: 60 }, (_, at) =>
        group(
          at,
          'Status: 5.1.1',
          `Diagnostic-Code: smtp; 550 ${at} mailbox full${fill('x', 3_000)}`,
        ),
      ),
    ),
  )
  expect(report).toMatchObject({ kind: 'delivery' })
  const categories =
    report?.kind === 'delivery' ? report.recipients.map(({ response }) => response.category) : []
  expect(categories.at(0)).toBe('mailbox_full')
  expect(categories.at(-1)).toBe('user_unknown')
})
