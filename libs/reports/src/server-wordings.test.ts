import { expect, test } from '@jest/globals'
import { mayBeReport } from './detect-report.ts'
import { readReport } from './read-report.ts'

// Delivery reports without any standard part, in the wording of common mail servers.

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
    'Sun Messaging Server',
    {
      from: 'Internet Mail Delivery <service@mx.example>',
      subject: 'Delivery Notification: Delivery has failed',
      lines: [
        'This report relates to a message you sent with the following header fields:',
        '',
        '  Message-id: <first@sender.example>',
        '  Subject: Hello',
        '',
        'Your message cannot be delivered to the following recipients:',
        '',
        `  Recipient address: ${you}`,
        '  Reason: Over quota',
        '',
        `  Recipient address: ${her}`,
        '  Reason: Illegal host/domain name found',
      ],
    },
    [
      [you, 'mailbox_full'],
      [her, 'invalid_address'],
    ],
  ],
  [
    'MDaemon',
    {
      from: 'MDaemon at mx.example <robot@mx.example>',
      subject: 'Permanent Delivery Failure',
      lines: [
        'The attached message had PERMANENT fatal delivery errors!',
        '',
        'After one or more unsuccessful delivery attempts the attached message has',
        'been removed from the mail queue on this server.',
        '',
        `Failed address: ${you}`,
        '',
        '--- Session Transcript ---',
        ' <-- 550 <you@there.example>, Recipient unknown',
        '--- End Transcript ---',
      ],
    },
    [[you, 'user_unknown']],
  ],
  [
    'IMail',
    {
      subject: 'Undeliverable Mail',
      lines: [
        `User mailbox exceeds allowed size: ${you}`,
        '',
        `Unknown user: ${her}`,
        '',
        'Original message follows.',
        '',
        ...original,
      ],
    },
    [
      [you, 'mailbox_full'],
      [her, 'user_unknown'],
    ],
  ],
  [
    'XMail',
    {
      subject: 'Error sending message [1.2.mx] from [sender.example]',
      lines: [
        `[<00>] XMail bounce: Rcpt=[${you}];Error=[550 5.1.1 user unknown]`,
        '',
        '[<01>] Error sending message [1.2.mx] from [sender.example].',
        '',
        'Original message follows',
        ...original,
      ],
    },
    [[you, 'user_unknown']],
  ],
  [
    'hMailServer',
    {
      subject: 'Message undeliverable: Hello',
      lines: [
        'Your message did not reach some or all of the intended recipients.',
        '',
        '   Sent: Thu, 1 Jan 2015 10:00:00 +0100',
        '   Subject: Hello',
        '',
        'The following recipient(s) could not be reached:',
        '',
        you,
        '   Error Type: SMTP',
        '   Remote server (192.0.2.1) issued an error.',
        '   hMailServer sent: RCPT TO:<you@there.example>',
        '   Remote server replied: 550 5.2.1 mailbox disabled',
      ],
    },
    [[you, 'mailbox_disabled']],
  ],
  [
    'InterMail and Post.Office',
    {
      from: 'Mail Administrator <Postmaster@mx.example>',
      subject: 'Mail System Error - Returned Mail',
      lines: [
        'This Message was undeliverable due to the following reason:',
        '',
        'The user(s) account is temporarily over quota.',
        '',
        `<${you}>`,
        '',
        'Please reply to Postmaster@mx.example',
        'if you feel this message to be in error.',
      ],
    },
    [[you, 'mailbox_full']],
  ],
  [
    'FirstClass',
    {
      from: 'Mail gateway <gateway@mx.example>',
      subject: 'NDN: Hello',
      lines: [
        'Sorry. Your message could not be delivered to:',
        '',
        `${you} (The name was not found at the remote site. Check that it is correct.)`,
      ],
    },
    [[you, 'user_unknown']],
  ],
  [
    'Gmail',
    {
      from: 'Mail Delivery Subsystem <mailer-daemon@mx.example>',
      subject: 'Delivery Status Notification (Failure)',
      lines: [
        'Delivery to the following recipients failed permanently:',
        '',
        `     ${you}`,
        `     ${her}`,
        '',
        'Technical details of permanent failure:',
        'The error that the other server returned was:',
        '550 5.7.1 Message rejected as spam',
        '',
        '----- Original message -----',
        ...original,
      ],
    },
    [
      [you, 'spam_blocked'],
      [her, 'spam_blocked'],
    ],
  ],
  [
    'recipients in a sentence',
    {
      from: 'Mailer <mailer@mx.example>',
      subject: 'Message could not be delivered',
      lines: [
        `Your message could not be delivered to ${you}, third@there.example`,
        `and ${her}, because the mailbox is full.`,
      ],
    },
    [
      [you, 'mailbox_full'],
      ['third@there.example', 'mailbox_full'],
      [her, 'mailbox_full'],
    ],
  ],
  [
    'a server in Chinese',
    {
      from: 'PostMaster@mx.example',
      subject: '系统退信/Systems bounce',
      lines: ['您的邮件无法投递到以下地址:', '', `收件人: ${you}`, '550 user not found'],
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

test.each<[string, Sample]>([
  [
    'a postmaster who writes a letter',
    { subject: 'Welcome', lines: [`Your colleague ${you} has a new telephone.`] },
  ],
  [
    'an answer to a report',
    {
      from: 'Ann <ann@there.example>',
      subject: 'Re: Delivery failure',
      lines: [`It could not be delivered to ${you}: 550 5.1.1 user unknown. Strange!`],
    },
  ],
  [
    'a person who quotes a delivery status',
    {
      from: 'Ann <ann@there.example>',
      subject: 'Question',
      lines: ['I received this:', `Final-Recipient: rfc822; ${you}`, 'Action: failed'],
    },
  ],
])('readReport: %s, returns undefined', (_, sample) => {
  expect(readReport(message(sample))).toBeUndefined()
})
