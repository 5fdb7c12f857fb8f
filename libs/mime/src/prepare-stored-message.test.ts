import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import fc from 'fast-check'
import { parseMessage, prepareStoredMessage } from './index.ts'
import type { PrepareMessageOptions } from './prepare-stored-message.ts'

const from = { name: 'Ann', address: 'ann@mail.example' }
const open = (text: string | Buffer, options: Partial<PrepareMessageOptions> = {}) =>
  prepareStoredMessage(Buffer.from(text), { path: 'raw', from, ...options })

function problemOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return error.extras.fields?.[0]?.path
    throw error
  }
}

const whole = [
  'From: Boss <boss@mail.example>',
  'To: "Doe, Jane" <jane@mail.example>, team: a@mail.example, b@mail.example;',
  'Cc: =?utf-8?q?J=C3=B6rg?= <c@mail.example>',
  'Bcc: secret@mail.example,',
  ' other@mail.example',
  'X-SVC-Account: me',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <1@mail.example>',
  'Date: Mon, 01 Jan 2024 00:00:00 +0000',
  '',
  'Bcc: this is text',
  'X-SVC-Account: this as well',
  '',
].join('\r\n')

test('prepareStoredMessage: reads recipients from the headers and removes Bcc', () => {
  const { mime, envelope, messageId, subject } = open(whole)
  expect(envelope).toEqual({
    from: 'boss@mail.example',
    to: [
      'jane@mail.example',
      'a@mail.example',
      'b@mail.example',
      'c@mail.example',
      'secret@mail.example',
      'other@mail.example',
    ],
  })
  expect([messageId, subject]).toEqual(['<1@mail.example>', 'Grüße'])
  const hidden = /^Bcc: secret.*\r\n other.*\r\n|^X-SVC-Account: me\r\n/gm
  expect(mime.toString()).toBe(whole.replaceAll(hidden, ''))
})

test('prepareStoredMessage: a passed envelope takes precedence over the headers', () => {
  const content = { envelope: { from: 'bounce@mail.example', to: ['only@mail.example'] } }
  expect(open(whole, { content }).envelope).toEqual(content.envelope)
})

test('prepareStoredMessage: adds missing From, Date and Message-ID', () => {
  const { mime, messageId, envelope } = open('To: a@mail.example\n\nhi\n', {
    date: new Date('2026-01-02T03:04:05Z'),
  })
  expect(mime.toString()).toBe(
    [
      'To: a@mail.example',
      'From: Ann <ann@mail.example>',
      `Message-ID: ${messageId}`,
      'Date: Fri, 02 Jan 2026 03:04:05 +0000',
      '',
      'hi',
      '',
    ].join('\r\n'),
  )
  expect(envelope).toEqual({ from: 'ann@mail.example', to: ['a@mail.example'] })
})

test('prepareStoredMessage: replaces an invalid Message-ID and removes duplicates', () => {
  const { mime, messageId } = open(
    'Message-ID: nonsense\r\nMessage-ID: <2@x.example>\r\nTo: a@x.example\r\n\r\n',
  )
  expect(mime.toString().match(/^message-id:.*$/gim)).toEqual([`Message-ID: ${messageId}`])
})

test('prepareStoredMessage: content replaces headers', async () => {
  const { mime, envelope } = open(whole, {
    content: {
      from: { name: 'Zoë', address: 'zoe@mail.example' },
      to: [{ address: 'new@mail.example' }],
      bcc: [{ address: 'blind@mail.example' }],
      subject: 'Über alles',
      headers: { 'x-order': '7' },
    },
    references: { inReplyTo: '<0@mail.example>', references: ['<0@mail.example>'] },
  })
  expect(envelope).toEqual({
    from: 'zoe@mail.example',
    to: ['new@mail.example', 'c@mail.example', 'blind@mail.example'],
  })
  const parsed = await parseMessage(mime)
  expect(parsed).toMatchObject({
    subject: 'Über alles',
    from: [{ name: 'Zoë', address: 'zoe@mail.example' }],
    to: [{ address: 'new@mail.example' }],
    headers: { 'x-order': ['7'], 'in-reply-to': ['<0@mail.example>'] },
  })
  expect(mime.toString()).not.toMatch(/blind@|secret@|boss@/)
  expect(
    mime.toString().match(/^(?:from|to|subject|date|message-id|mime-version):/gim),
  ).toHaveLength(5)
})

test('prepareStoredMessage: does not change the body', () => {
  const body = Buffer.from([0xff, 0xfe, 0, 0x80, 0x0d, 0x0a, 0x2e, 0x0d, 0x0a])
  const { mime } = open(
    Buffer.concat([Buffer.from(whole.slice(0, whole.indexOf('Bcc: this'))), body]),
  )
  expect(mime.subarray(-body.length).equals(body)).toBe(true)
})

test('prepareStoredMessage: detects a header after a lone CR', () => {
  const { mime, envelope } = open('To: a@x.example\rBcc: b@x.example\n\nhi')
  expect(envelope.to).toEqual(['a@x.example', 'b@x.example'])
  expect(mime.toString()).not.toContain('b@x.example')
})

test.each([
  ['text without headers', 'just a text'],
  ['no bytes', ''],
  ['a line that is no header', 'To: a@x.example\r\nno header here\r\n\r\nx'],
  ['a recipient without a domain', 'To: noaddress\r\n\r\nx'],
  ['too many recipients', `To: ${'a@x.example,'.repeat(1001)}\r\n\r\nx`],
  ['a list beyond reason', `To: ${'a@x.example,'.repeat(60_000)}\r\n\r\nx`],
  ['headers beyond reason', `X: ${'x'.repeat(1_100_000)}\r\n\r\nx`],
])('prepareStoredMessage: %s, rejects', (_name, text) => {
  expect(problemOf(() => open(text))).toBe('raw')
})

test('prepareStoredMessage: without recipients, returns an empty envelope', () => {
  expect(open('To: undisclosed-recipients:;\r\n\r\nx').envelope.to).toEqual([])
})

test('prepareStoredMessage: any input, removes Bcc or rejects', () => {
  const pieces = fc.constantFrom(
    'Bcc',
    'bCC ',
    ':',
    '\r',
    '\n',
    '\r\n',
    ' ',
    '\t',
    'a@x.example',
    ',',
    '<',
    '>',
    '"',
    '(',
    'To',
    'From',
    'Message-ID: <1@x>',
    'ü',
    '\0',
    '=?utf-8?q?a=0AB?=',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      let mime = ''
      const path = problemOf(
        () => (mime = open(`To: a@x.example\n${parts.join('')}`).mime.toString()),
      )
      expect([undefined, 'raw']).toContain(path)
      const head = mime.split('\r\n\r\n', 1)[0] ?? ''
      expect(head).not.toMatch(/^bcc\s*:/im)
    }),
    { numRuns: 2_000 },
  )
})
