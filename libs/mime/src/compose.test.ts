import { expect, test } from '@jest/globals'
import type { MessageContent } from '@posthorn/contracts/schemas/content'
import { AppError } from '@posthorn/errors'
import fc from 'fast-check'
import { composeMessage, prepareStoredMessage, parseMessage } from './index.ts'

const from = { name: 'Ann Example', address: 'ann@example.com' }
const to = [{ name: 'Bob', address: 'bob@example.net' }]

async function problemOf(submission: unknown, options: object = {}): Promise<string | undefined> {
  try {
    await composeMessage(submission as MessageContent, { from, ...options })
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return error.extras.fields?.[0]?.path
    throw error
  }
}

test('composeMessage: a parsed result equals the submission', async () => {
  const { mime, messageId, envelope } = await composeMessage(
    {
      to,
      cc: [{ address: 'cc@example.net' }],
      bcc: [{ address: 'secret@example.net' }],
      replyTo: [{ address: 'reply@example.com' }],
      subject: 'Grüße aus 東京 — 👍',
      text: 'Hello\nfrom Zürich\n.\n..dots',
      html: '<p>Hello <b>from Zürich</b></p>',
      headers: {
        'X-Campaign': 'spring',
        'List-Help': ['<mailto:a@example.com>', '<mailto:b@example.com>'],
      },
      attachments: [
        {
          filename: 'Übersicht 1.pdf',
          contentType: 'application/pdf',
          content: Buffer.from('%PDF').toString('base64'),
        },
        {
          filename: 'logo.png',
          contentType: 'image/png',
          cid: 'logo@example.com',
          contentDisposition: 'inline',
          content: 'AAEC',
        },
      ],
    },
    { from, date: new Date('2026-03-01T10:00:00Z') },
  )
  expect(messageId).toMatch(/^<[0-9a-f-]{36}@example\.com>$/)
  expect(envelope).toEqual({
    from: 'ann@example.com',
    to: ['bob@example.net', 'cc@example.net', 'secret@example.net'],
  })
  expect(mime.includes('secret')).toBe(false)

  const parsed = await parseMessage(mime)
  expect(parsed).toMatchObject({
    incomplete: false,
    messageId,
    subject: 'Grüße aus 東京 — 👍',
    from: [from],
    to,
    cc: [{ name: '', address: 'cc@example.net' }],
    replyTo: [{ name: '', address: 'reply@example.com' }],
    html: '<p>Hello <b>from Zürich</b></p>',
    headers: {
      'x-campaign': ['spring'],
      date: ['Sun, 01 Mar 2026 10:00:00 +0000'],
      'list-help': ['<mailto:a@example.com>', '<mailto:b@example.com>'],
    },
  })
  expect(parsed.text.trimEnd()).toBe('Hello\nfrom Zürich\n.\n..dots')
  expect(
    parsed.attachments
      .map(({ content, ...rest }) => ({ ...rest, bytes: content.toString('latin1') }))
      .sort((a, b) => (a.contentType < b.contentType ? -1 : 1)),
  ).toEqual([
    { filename: 'Übersicht 1.pdf', contentType: 'application/pdf', inline: false, bytes: '%PDF' },
    {
      filename: 'logo.png',
      contentType: 'image/png',
      contentId: 'logo@example.com',
      inline: true,
      bytes: '\0\x01\x02',
    },
  ])
})

test('composeMessage: HTML only, adds a text alternative', async () => {
  const { mime } = await composeMessage(
    { to, html: '<h1>News</h1><p>Read <a href="https://a.example/x">more</a></p>' },
    { from },
  )
  const { text, html } = await parseMessage(mime)
  expect(text).toContain('more [https://a.example/x]')
  expect(html).toContain('<h1>News</h1>')
})

test('composeMessage: without content, composes an empty message', async () => {
  const { mime } = await composeMessage({ to }, { from })
  expect(await parseMessage(mime)).toMatchObject({ text: '', subject: '', from: [from] })
})

test('composeMessage: the envelope lists each recipient once, ignoring case', async () => {
  const { envelope } = await composeMessage(
    {
      to: [{ address: 'Bob@Example.net' }, { address: 'bob@example.net' }],
      cc: [{ address: 'BOB@EXAMPLE.NET' }],
      bcc: [{ address: 'x@bücher.example' }],
    },
    { from },
  )
  expect(envelope.to).toEqual(['Bob@example.net', 'x@xn--bcher-kva.example'])
})

test('composeMessage: a passed envelope takes precedence over the headers', async () => {
  const { envelope, mime } = await composeMessage(
    { to, envelope: { from: 'bounces@example.com', to: ['real@example.org'] } },
    { from },
  )
  expect(envelope).toEqual({ from: 'bounces@example.com', to: ['real@example.org'] })
  expect((await parseMessage(mime)).to).toEqual(to)
})

test('composeMessage: an empty envelope sender is kept', async () => {
  const envelope = { from: '', to: ['bob@example.net'] }
  expect((await composeMessage({ text: 'x', envelope }, { from })).envelope).toEqual(envelope)
  const raw = Buffer.from('From: a@example.com\r\n\r\nx')
  const opened = prepareStoredMessage(raw, { path: 'raw', from, content: { envelope } })
  expect(opened.envelope).toEqual(envelope)
})

test('composeMessage: header lines have at most 998 characters', async () => {
  const subject = `Re: ${'x'.repeat(5_000)} y`
  const { mime } = await composeMessage({ to, subject, text: 'x' }, { from })
  const raw = Buffer.from('To: bob@example.net\r\n\r\nx')
  const opened = prepareStoredMessage(raw, { path: 'raw', from, content: { subject } })
  for (const bytes of [mime, opened.mime]) {
    const lengths = bytes
      .toString('latin1')
      .split('\r\n')
      .map((line) => line.length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(998)
    expect((await parseMessage(bytes)).subject).toBe(subject)
  }
  const header = (length: number) => ({ to, text: 'x', headers: { 'X-Long': 'x'.repeat(length) } })
  expect(await problemOf(header(998))).toBe('headers.X-Long')
  const fits = await composeMessage(header(997), { from })
  expect(fits.mime.toString()).toMatch(/^X-Long:\r\n x{997}\r$/m)
})

test('composeMessage: keeps a passed Message-ID, with or without brackets', async () => {
  for (const messageId of ['abc@example.com', '<abc@example.com>'])
    expect((await composeMessage({ to, messageId }, { from })).messageId).toBe('<abc@example.com>')
  expect(
    (
      await composeMessage(
        { to, headers: { 'Message-ID': '<other@example.com>' }, messageId: 'abc@example.com' },
        { from },
      )
    ).mime.toString(),
  ).not.toContain('other@')
})

test.each([
  ['subject', { to, subject: 'a\r\nBcc: x@example.com' }],
  ['subject', { to, subject: 'a\nb' }],
  ['subject', { to, subject: 'a\rb' }],
  ['subject', { to, subject: 'a\0b' }],
  ['subject', { to, subject: 'a\u2028b' }],
  ['from.name', { to, from: { name: 'a\r\nX: y', address: 'a@example.com' } }],
  ['to.0.address', { to: [{ address: 'a@example.com>\r\nRCPT TO:<b@example.com' }] }],
  ['to.0.address', { to: [{ address: 'a@example.com, b@example.com' }] }],
  ['to.0.name', { to: [{ name: 'a\nb', address: 'a@example.com' }] }],
  ['envelope.from', { to, envelope: { from: 'a@example.com> SIZE=1\r\nDATA' } }],
  ['envelope.to.0', { to, envelope: { to: ['a@example.com\r\nDATA'] } }],
  ['headers.X-A', { to, headers: { 'X-A': 'a\r\nBcc: x@example.com' } }],
  ['headers.X-A.1', { to, headers: { 'X-A': ['a', 'a\nb'] } }],
  ['headers.Bcc', { to, headers: { Bcc: 'x@example.com' } }],
  ['headers.Content-Type', { to, headers: { 'Content-Type': 'text/html' } }],
  ['messageId', { to, messageId: '<a@b>\r\nX: y' }],
  ['messageId', { to, messageId: 'ä@example.com' }],
  ['attachments.0.filename', { to, attachments: [{ filename: 'a\r\nX: y', content: '' }] }],
  [
    'attachments.0.contentType',
    { to, attachments: [{ contentType: 'text/plain\r\nX: y', content: '' }] },
  ],
  ['attachments.0.cid', { to, attachments: [{ cid: 'a\r\nX: y', content: '' }] }],
])('composeMessage: rejects injection through %s', async (path, submission) => {
  expect(await problemOf(submission)).toBe(path)
})

test('composeMessage: rejects an invalid header name', async () => {
  expect(await problemOf({ to, headers: { 'X-A: b\r\nBcc': 'x' } })).toBeDefined()
})

test('composeMessage: treats file paths and URLs as text', async () => {
  const { mime } = await composeMessage(
    {
      to,
      text: 'file:///etc/passwd',
      html: '<img src="file:///etc/passwd">',
      attachments: [{ filename: '/etc/passwd', content: 'aGk=' }],
    },
    { from },
  )
  const { attachments } = await parseMessage(mime)
  expect(attachments[0]?.content.toString()).toBe('hi')
})

test.each(['message/rfc822', 'multipart/mixed; boundary=x', 'nonsense', 'text/plain'])(
  'composeMessage: an attachment of type %s is unchanged',
  async (contentType) => {
    const bytes = Buffer.from('From: a\n\r\n.\r\n--x\r\n\xff\0\r', 'latin1')
    const { mime } = await composeMessage(
      {
        to,
        text: 'x',
        attachments: [{ contentType, filename: 'a', content: bytes.toString('base64') }],
      },
      { from },
    )
    expect((await parseMessage(mime)).attachments[0]?.content).toEqual(bytes)
  },
)

const anyText = fc.string({ unit: 'binary', maxLength: 300 })
const oneLine = anyText.map((text) => text.replace(/[\0-\x1f\x7f\u0085\u2028\u2029]/g, ''))

test('composeMessage: any input, returns ASCII lines up to 998 characters that parse to the input', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        subject: oneLine,
        name: oneLine.map((name) => name.slice(0, 100)),
        text: anyText,
        header: oneLine,
        filename: oneLine.map((name) => name.slice(0, 60)),
      }),
      async ({ subject, name, text, header, filename }) => {
        const { mime } = await composeMessage(
          {
            to: [{ name, address: 'bob@example.net' }],
            subject,
            text: `.${text}`,
            headers: { 'X-Custom': header },
            attachments: [{ filename, content: 'AA==' }],
          },
          { from },
        )
        expect(mime.every((byte) => byte < 0x80)).toBe(true)
        const latin = mime.toString('latin1')
        expect(latin.replaceAll('\r\n', '')).not.toMatch(/[\r\n\0]/)
        expect(Math.max(...latin.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998)
        const parsed = await parseMessage(mime)
        expect(parsed.to.map(({ address }) => address)).toEqual(['bob@example.net'])
        const expected = 'content-type date from message-id mime-version subject to x-custom'.split(
          ' ',
        )
        expect(Object.keys(parsed.headers).filter((key) => !expected.includes(key))).toEqual([])
        expect(parsed.subject).toBe(subject.replace(/\s+/g, ' ').trim())
      },
    ),
    { numRuns: 300 },
  )
})
