import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readReport } from './read-report.ts'
import type { DeliveryReport } from './report.ts'

const mail = (lines: readonly string[]) => Buffer.from(lines.join('\r\n'))

const original = [
  'Message-ID: <first@sender.example>',
  'From: me@sender.example',
  'To: you@there.example',
  'Subject: Hello',
  '',
  'Hi',
]

function dsn(fields: readonly string[], text = 'See the report below.'): Buffer {
  return mail([
    'From: Mail Delivery System <MAILER-DAEMON@mx.example>',
    'To: me@sender.example',
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    text,
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    '',
    ...fields,
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    ...original,
    '--b--',
  ])
}

test('readReport: delivery status, returns each recipient and the original message', () => {
  const report = readReport(
    dsn([
      'Final-Recipient: rfc822; you@there.example',
      'Action: failed',
      'Status: 5.1.1',
      'Remote-MTA: dns; mx.there.example',
      'Diagnostic-Code: smtp; 550 5.1.1 <you@there.example>: Recipient address rejected:',
      ' User unknown in virtual mailbox table',
      '',
      'Final-Recipient: rfc822; full@there.example',
      'Action: delayed',
      'Status: 4.2.2',
      'Diagnostic-Code: smtp; 452 4.2.2 Mailbox full, try again in 2 hours',
    ]),
  )
  expect(report).toMatchObject({
    kind: 'delivery',
    messageId: '<first@sender.example>',
    headers: { subject: ['Hello'], from: ['me@sender.example'] },
    recipients: [
      {
        recipient: 'you@there.example',
        action: 'failed',
        mta: 'mx.there.example',
        response: {
          source: 'smtp',
          message:
            '550 5.1.1 <you@there.example>: Recipient address rejected: User unknown in virtual mailbox table',
          status: '5.1.1',
          category: 'user_unknown',
          recommendedAction: 'remove',
        },
      },
      {
        recipient: 'full@there.example',
        action: 'delayed',
        mta: 'mx.example',
        response: {
          status: '4.2.2',
          category: 'mailbox_full',
          recommendedAction: 'retry',
          retryAfter: 7_200,
        },
      },
    ],
  })
})

test('readReport: successful delivery, returns its fields', () => {
  const report = readReport(
    dsn([
      'Original-Recipient: rfc822; you@there.example',
      'Final-Recipient: rfc822; other@there.example',
      'Action: relayed',
      'Status: 2.1.9',
    ]),
  ) as DeliveryReport
  expect(report.recipients).toMatchObject([{ recipient: 'you@there.example', action: 'relayed' }])
  expect(report.fields).toMatchObject({
    reportingMta: 'mx.example',
    finalRecipient: 'other@there.example',
    action: 'relayed',
    status: '2.1.9',
  })
})

test('readReport: mixed results, returns the fields of the successful recipient', () => {
  const report = readReport(
    dsn([
      'Final-Recipient: rfc822; gone@there.example',
      'Action: failed',
      '',
      'Final-Recipient: rfc822; slow@there.example',
      'Action: delayed',
    ]),
  ) as DeliveryReport
  expect(report.recipients.map(({ action }) => action)).toEqual(['failed', 'delayed'])
  expect(report.fields).toMatchObject({ finalRecipient: 'slow@there.example', action: 'delayed' })
})

const inWords: [string, { subject: string; lines: string[] }, object][] = [
  [
    'an address in angle brackets, its reason below',
    {
      subject: 'failure notice',
      lines: [
        'I could not bring your mail to these addresses.',
        '',
        '<you@there.example>:',
        'Remote host said: 554 5.7.1 Blocked, see zen.spamhaus.org',
        '',
        '--- Below this line is a copy of the message.',
        '',
        ...original,
      ],
    },
    {
      recipient: 'you@there.example',
      action: 'failed',
      response: {
        status: '5.7.1',
        category: 'ip_blacklisted',
        blocklist: { name: 'Spamhaus', type: 'ip' },
      },
    },
  ],
  [
    'an address that stands alone',
    {
      subject: 'Mail delivery failed: returning message to sender',
      lines: [
        'The following address failed:',
        '',
        '  you@there.example',
        '    host mx.there.example [192.0.2.1]: 550 relay not permitted',
        '',
        '------ This is a copy of the message, including all the headers. ------',
        '',
        ...original,
      ],
    },
    {
      recipient: 'you@there.example',
      mta: 'mx.there.example',
      response: { category: 'relay_denied' },
    },
  ],
  [
    'an address in a sentence',
    {
      subject: 'Delivery failure',
      lines: [
        'Your message could not be delivered to you@there.example because',
        'the mailbox is disabled.',
      ],
    },
    { recipient: 'you@there.example', response: { category: 'mailbox_disabled' } },
  ],
  [
    'a delay',
    {
      subject: 'Warning: message delayed 4 hours',
      lines: [
        'The message has not yet been delivered to:',
        '',
        '  you@there.example',
        '    Connection timed out',
      ],
    },
    { recipient: 'you@there.example', action: 'delayed', response: { category: 'server_error' } },
  ],
  [
    'without an address, the only recipient of the original',
    {
      subject: 'Undeliverable: Hello',
      lines: ['It did not arrive: no such user.', '', 'Original message follows.', '', ...original],
    },
    { recipient: 'you@there.example', response: { category: 'user_unknown' } },
  ],
]

test.each(inWords)('readReport: text report, %s', (_, { subject, lines }, result) => {
  const report = readReport(
    mail([
      'From: MAILER-DAEMON@mx.example',
      'To: me@sender.example',
      `Subject: ${subject}`,
      '',
      ...lines,
    ]),
  )
  expect(report).toMatchObject({ kind: 'delivery', recipients: [result] })
})

test.each([
  [
    'mail from people',
    [
      'From: friend@there.example',
      'Subject: Lunch?',
      '',
      'My colleague could not be reached: you@there.example',
    ],
  ],
  [
    'a reply about a bounce',
    [
      'From: friend@there.example',
      'Subject: Re: Undeliverable: Hello',
      '',
      'It could not be delivered to you@there.example, what now?',
    ],
  ],
  [
    'a vacation note',
    [
      'From: <>',
      'Return-Path: <>',
      'Auto-Submitted: auto-replied',
      'Subject: Away',
      '',
      'Write to you@there.example',
    ],
  ],
  ['nothing', ['', '']],
])('readReport: %s, returns undefined', (_, lines) => {
  expect(readReport(mail(lines))).toBeUndefined()
})

const feedback = (fields: readonly string[]) =>
  mail([
    'From: feedback@isp.example',
    'Subject: FW: Hello',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    ...fields,
    '--b',
    'Content-Type: message/rfc822',
    '',
    ...original,
    '--b--',
  ])

test('readReport: feedback report, returns a complaint with message and recipients', () => {
  const fields = [
    'Feedback-Type: abuse',
    'User-Agent: Loop/1.0',
    'Version: 1',
    'Original-Rcpt-To: <you@there.example>',
    'Arrival-Date: Thu, 01 Jan 2026 10:00:00 +0000',
    'Source-IP: 192.0.2.7',
  ]
  expect(readReport(feedback(fields))).toEqual({
    kind: 'complaint',
    messageId: '<first@sender.example>',
    headers: expect.objectContaining({ to: ['you@there.example'] }),
    arf: {
      source: 'isp.example',
      feedbackType: 'abuse',
      userAgent: 'Loop/1.0',
      version: '1',
      originalRcptTo: ['you@there.example'],
      arrivalDate: '2026-01-01T10:00:00.000Z',
      sourceIp: '192.0.2.7',
    },
  })
})

test.each([
  ['its only addressee', ['To: You <you@there.example>'], ['you@there.example']],
  [
    'the recipient that a receiving server recorded',
    ['Delivered-To: real@there.example', 'To: you@there.example'],
    ['real@there.example'],
  ],
  ['none of several addressees', ['To: you@there.example, her@there.example'], []],
  ['none if they are removed', ['To: undisclosed-recipients:;'], []],
])('readReport: feedback report without Original-Rcpt-To, returns %s', (_, fields, recipients) => {
  const bytes = feedback(['Feedback-Type: abuse', 'User-Agent: Loop/1.0'])
  const message = bytes.toString().replace('To: you@there.example', fields.join('\r\n'))
  expect(readReport(Buffer.from(message))).toMatchObject({
    kind: 'complaint',
    arf: { originalRcptTo: recipients },
  })
})

test('readReport: returned message with X-HmXmrOriginalRecipient, returns a complaint', () => {
  const report = readReport(
    mail([
      'From: staff@hotmail.example',
      'Subject: complaint about message from 192.0.2.9',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'X-HmXmrOriginalRecipient: you@there.example',
      ...original,
      '--b--',
    ]),
  )
  expect(report).toMatchObject({
    kind: 'complaint',
    messageId: '<first@sender.example>',
    arf: { source: 'hotmail', originalRcptTo: ['you@there.example'], sourceIp: '192.0.2.9' },
  })
})

const tokens = [
  '--b',
  '--b--',
  '',
  'Final-Recipient: rfc822; a@b.example',
  'Action: failed',
  'Content-Type: message/delivery-status',
  'Content-Type: multipart/mixed; boundary=b',
  'From: MAILER-DAEMON',
  'Subject: failure notice',
  '<a@b.example>:',
  '550 5.1.1 no',
  'Content-Transfer-Encoding: base64',
  'Feedback-Type: abuse',
  '> ',
  '\u0000',
  'a@'.repeat(2_000),
  '<'.repeat(2_000),
  ' '.repeat(2_000),
]

test('readReport: any input, never throws and returns recipients or undefined', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...tokens), fc.string()), { maxLength: 60 }),
      (lines) => {
        const report = readReport(mail(lines))
        if (report?.kind === 'delivery')
          expect(report.recipients.every(({ recipient }) => recipient !== '')).toBe(true)
      },
    ),
    { numRuns: 2_000 },
  )
})
