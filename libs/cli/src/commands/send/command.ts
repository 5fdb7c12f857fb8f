import type { CommandSpec } from '../../program/command.ts'
import { timeText } from '../../program/times.ts'

export const send: CommandSpec = {
  name: 'send',
  summary: 'Send a message.',
  details: [
    'The message is queued and sent in the background: --wait waits for the result.',
    'With --idempotency-key, a repeat within 24 hours sends no second message.',
  ].join('\n'),
  arguments: [{ name: '<account>', description: 'id of the account that sends the message' }],
  options: [
    {
      flags: '--to <address>',
      description: 'recipient, such as ben@example.com or "Ben <ben@example.com>" (repeatable)',
      repeatable: true,
    },
    { flags: '--cc <address>', description: 'recipient of a copy (repeatable)', repeatable: true },
    { flags: '--bcc <address>', description: 'hidden recipient (repeatable)', repeatable: true },
    { flags: '--from <address>', description: 'author (default: address of the account)' },
    { flags: '--reply-to <address>', description: 'address for replies' },
    { flags: '--subject <text>', description: 'subject', mayBeEmpty: true },
    { flags: '--text <text>', description: 'plain text', mayBeEmpty: true },
    {
      flags: '--text-file <path>',
      description: 'file with the plain text, `-` for standard input',
    },
    { flags: '--html-file <path>', description: 'file with the HTML, `-` for standard input' },
    { flags: '--attach <path>', description: 'file to attach (repeatable)', repeatable: true },
    {
      flags: '--raw <path>',
      description: 'file with the whole message (RFC 5322), `-` for standard input',
    },
    { flags: '--send-at <time>', description: 'earliest time to send (ISO 8601)', parse: timeText },
    {
      flags: '--idempotency-key <key>',
      description: 'text that identifies the message, so that a repeat is safe',
    },
    { flags: '--wait', description: 'wait until the message is sent or has failed' },
  ],
  examples: [
    {
      purpose: 'Send a message and wait for the reply of the mail server',
      line: 'send anna --to ben@example.com --subject Hello --text "It is on its way." --wait',
    },
    {
      purpose: 'Send a report with an attachment, once per day',
      line: 'send anna --to "Ben <ben@example.com>" --subject Report --text-file report.txt --attach report.pdf --idempotency-key report-2026-01-31',
    },
    {
      purpose: 'Send a message that another program has written',
      line: 'send anna --raw - < message.eml',
    },
  ],
  load: async () => (await import('./send-message.ts')).sendMessage,
}
