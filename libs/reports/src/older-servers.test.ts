import { expect, test } from '@jest/globals'
import { mayBeReport } from './detect-report.ts'
import { readReport } from './read-report.ts'

// Delivery reports without any standard part, in the wording of older mail servers.

interface Sample {
  from?: string
  subject: string
  lines: string[]
}

const you = 'you@there.example'
const her = 'her@there.example'
const original = ['Message-ID: <first@sender.example>', 'From: me@sender.example', 'Subject: Hello']

const message = ({ from = 'Postmaster <postmaster@mx.example>', subject, lines }: Sample) =>
  Buffer.from(
    [`From: ${from}`, 'To: me@sender.example', `Subject: ${subject}`, '', ...lines].join('\r\n'),
  )

test.each<[string, Sample, [recipient: string, category: string][]]>([
  [
    'qmail',
    {
      from: 'MAILER-DAEMON@mx.example',
      subject: 'failure notice',
      lines: [
        'Hi. This is the qmail-send program at mx.example.',
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        "This is a permanent error; I've given up. Sorry it didn't work out.",
        '',
        `<${you}>:`,
        'Sorry, no mailbox here by that name. (#5.1.1)',
        '',
        `<${her}>:`,
        '192.0.2.7 failed after I sent the message.',
        'Remote host said: 552 mailbox is over quota',
        '',
        '--- Below this line is a copy of the message.',
        '',
        ...original,
      ],
    },
    [
      [you, 'user_unknown'],
      [her, 'mailbox_full'],
    ],
  ],
  [
    'Exim 3',
    {
      from: 'Mail Delivery System <Mailer-Daemon@mx.example>',
      subject: 'Mail delivery failed: returning message to sender',
      lines: [
        'This message was created automatically by mail delivery software (Exim).',
        '',
        'A message that you sent could not be delivered to one or more of its',
        'recipients. This is a permanent error. The following address(es) failed:',
        '',
        `  ${you}`,
        '    unknown local-part "you" in domain "there.example"',
        `  ${her}`,
        '    SMTP error from remote mailer after RCPT TO:',
        '    host mx.there.example [192.0.2.1]: 550 5.7.1 relay not permitted',
        '',
        '------ This is a copy of the message, including all the headers. ------',
        '',
        ...original,
      ],
    },
    [
      [you, 'user_unknown'],
      [her, 'relay_denied'],
    ],
  ],
  [
    'Sendmail 5',
    {
      from: 'Mail Delivery Subsystem <MAILER-DAEMON>',
      subject: 'Returned mail: User unknown',
      lines: [
        '   ----- Transcript of session follows -----',
        '>>> RCPT To:<you@there.example>',
        '<<< 550 <you@there.example>... User unknown',
        `550 ${you}... User unknown`,
        '',
        '   ----- Unsent message follows -----',
        ...original,
      ],
    },
    [[you, 'user_unknown']],
  ],
  [
    'Smail 3',
    {
      from: '<MAILER-DAEMON@mx.example>',
      subject: 'mail failed, returning to sender',
      lines: [
        '|------------------------- Message log follows: -------------------------|',
        '|------------------------- Failed addresses follow: ---------------------|',
        ` <${you}> ... unknown host`,
        '|------------------------- Message text follows: ------------------------|',
        ...original,
      ],
    },
    [[you, 'invalid_address']],
  ],
  [
    'Postfix, before it wrote delivery status reports',
    {
      from: 'MAILER-DAEMON@mx.example (Mail Delivery System)',
      subject: 'Undelivered Mail Returned to Sender',
      lines: [
        'This is the Postfix program at host mx.example.',
        '',
        "I'm sorry to have to inform you that the message returned",
        'below could not be delivered to one or more destinations.',
        '',
        `<${you}>: host mx.there.example[192.0.2.1] said: 550`,
        `    <${you}>: User unknown in local recipient table`,
        '',
        `<${her}>: mail for there.example loops back to myself`,
        '',
        'Unsent message follows',
        ...original,
      ],
    },
    [
      [you, 'user_unknown'],
      [her, 'server_error'],
    ],
  ],
  [
    'Exchange 5.5',
    {
      from: 'System Administrator <admin@mx.example>',
      subject: 'Undeliverable: Hello',
      lines: [
        'Your message',
        '',
        '  To:      someone@sender.example',
        '  Subject: Hello',
        '  Sent:    Mon, 1 Jan 2001 10:00:00 +0000',
        '',
        'did not reach the following recipient(s):',
        '',
        `${you} on Mon, 1 Jan 2001 10:01:00 +0000`,
        '    The recipient name is not recognized',
        '        MSEXCH:IMS:There:MX:ONE 0 (000C05A6) Unknown Recipient',
        `${her} on Mon, 1 Jan 2001 10:01:00 +0000`,
        '    The message could not be delivered because the mailbox is full',
      ],
    },
    [
      [you, 'user_unknown'],
      [her, 'mailbox_full'],
    ],
  ],
  [
    'Exchange 2003, with the code below',
    {
      from: 'System Administrator',
      subject: 'Undeliverable:Hello',
      lines: [
        'Your message did not reach some or all of the intended recipients.',
        '',
        '      Subject:  Hello',
        '',
        'The following recipient(s) could not be reached:',
        '',
        `      ${you} on 1/1/2004 10:00 AM`,
        '            The e-mail account does not exist at the organization this message was sent to.',
        '            <mx.example #5.1.1>',
      ],
    },
    [[you, 'user_unknown']],
  ],
  [
    'Domino',
    {
      subject: 'DELIVERY FAILURE: User you (you@there.example) not listed in Domino Directory',
      lines: [
        'Your message',
        '',
        '  Subject: Hello',
        '',
        'was not delivered to:',
        '',
        `  ${you}`,
        '',
        'because:',
        '',
        `  User you (${you}) not listed in Domino Directory`,
      ],
    },
    [[you, 'user_unknown']],
  ],
  [
    'MMDF',
    {
      from: 'Memo Service (MMDF) <mmdf@mx.example>',
      subject: 'Failed mail  (msg.aa12345)',
      lines: [
        '    Your message could not be delivered to',
        `'${you} (host: there.example) (queue: smtp)' for the following`,
        "reason:  ' Unknown user'",
        '',
        '    Your message follows:',
        ...original,
      ],
    },
    [[you, 'user_unknown']],
  ],
  [
    'PMDF',
    {
      from: 'PMDF Mail Server <pmdf@mx.example>',
      subject: 'Undeliverable mail: SMTP delivery failure',
      lines: [
        'The message could not be delivered to:',
        '',
        `Addressee: ${you}`,
        'Reason:',
        '  550 <you@there.example>... no such user',
        '',
        '----------------------------------------',
        ...original,
      ],
    },
    [[you, 'user_unknown']],
  ],
])('readReport: text report of %s, returns each recipient', (_, sample, wanted) => {
  const bytes = message(sample)
  expect(readReport(bytes)).toMatchObject({ kind: 'delivery' })
  const report = readReport(bytes)
  const results = report?.kind === 'delivery' ? report.recipients : []
  expect(results.map(({ recipient, response }) => [recipient, response.category])).toEqual(wanted)
  const { from = 'Postmaster <postmaster@mx.example>', subject } = sample
  expect(mayBeReport({ from: [from], subject: [subject] })).toBe(true)
})
