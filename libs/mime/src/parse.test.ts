import { Readable } from 'node:stream'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { canonicalLines, decodeText, isAutoReply, parseHeaders, parseMessage } from './index.ts'
import { decodeWords } from './decode.ts'

/** CPU time of this process in milliseconds, independent of other load on the machine. */
const cpuMs = () => process.cpuUsage().user / 1_000

const mail = (...lines: string[]) => Buffer.from(lines.join('\r\n'), 'latin1')

test('parseHeaders: unfolds and decodes values in order', () => {
  const block = mail(
    'Received: from a',
    '\tby b',
    'Received: from c',
    'SUBJECT: =?ISO-2022-JP?B?GyRCRnxLXDhsGyhC?= =?utf-8?q?_=E2=82=AC?=',
    'X-Empty:',
    'no header at all',
    '',
    'Not-A-Header: body',
  )
  expect(parseHeaders(block)).toEqual({
    received: ['from a by b', 'from c'],
    subject: ['日本語 €'],
    'x-empty': [''],
  })
})

test.each([
  ['=?iso-8859-1?Q?Gr=FC=DFe?=', 'Grüße'],
  ['=?UTF-8?B?4oI=?= =?UTF-8?B?rA==?=', '€'],
  ['a =?utf-8?q?b?= c', 'a b c'],
  ['=?utf-8*en?q?caf=C3=A9?=', 'café'],
  ['=?gb2312?B?xOO6ww==?=', '你好'],
  ['=?koi8-r?B?8NLJ18XU?=', 'Привет'],
  ['=?nonsense?q?caf=C3=A9?=', 'café'],
  ['=?utf-8?q?unfinished', '=?utf-8?q?unfinished'],
  ['=?utf-8?q?two words?=', 'two words'],
])('decodeWords: %s, returns %s', (value, text) => {
  expect(decodeWords(value)).toBe(text)
})

test('decodeText: uses the charset, or guesses an unknown one', () => {
  expect(decodeText(Buffer.from([0x80]), 'windows-1252')).toBe('€')
  expect(decodeText(Buffer.from('é', 'utf8'), 'us-ascii')).toBe('é')
  expect(decodeText(Buffer.from([0xe9]))).toBe('é')
  expect(decodeText(Buffer.from([0xe9]), 'x-unheard-of')).toBe('é')
  expect(decodeText(Buffer.from([0x83, 0x65]), '"cp932"')).toBe('テ')
})

test('parseHeaders: replaces line breaks in encoded words', () => {
  expect(parseHeaders(mail('Subject: =?utf-8?q?a=0D=0ABcc:_x=00?='))).toEqual({
    subject: ['a Bcc: x'],
  })
})

test('parseHeaders: cuts an oversized section in linear time', () => {
  const started = cpuMs()
  const many = Buffer.from('a: b\r\n'.repeat(1_000_000))
  expect(parseHeaders(many)['a']).toHaveLength(1_000)
  const words = Buffer.from(`subject: ${'=?utf-8?q?'.repeat(100_000)}`)
  expect(parseHeaders(words)['subject']).toHaveLength(1)
  expect(parseHeaders(Buffer.from(`x: ${'=?a?b?QQ==?= '.repeat(80_000)}`))['x']?.[0]).toMatch(
    /^A{1000}/,
  )
  expect(parseHeaders(Buffer.from('a:\r\n'.concat(' x\r\n'.repeat(300_000))))['a']).toHaveLength(1)
  expect(cpuMs() - started).toBeLessThan(15_000)
})

test('parseHeaders: accepts a header named __proto__', () => {
  const headers = parseHeaders(mail('__proto__: x', 'a: b'))
  expect(Object.keys(headers)).toEqual(['__proto__', 'a'])
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
})

test('parseHeaders: never throws', () => {
  const headerish = fc
    .array(
      fc.constantFrom(
        '=?',
        '?=',
        'utf-8',
        '?q?',
        '?B?',
        'a:',
        ' ',
        '\r\n',
        '\n',
        '\0',
        'é',
        '=C3',
        ';',
        '"',
      ),
    )
    .map((parts) => Buffer.from(parts.join('')))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 500 }), headerish), (bytes) => {
      for (const value of Object.values(parseHeaders(bytes)).flat())
        expect(value).not.toMatch(/[\r\n\0]/)
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['auto-submitted', 'auto-replied; owner-email="a@example.com"', true],
  ['auto-submitted', 'no', false],
  ['auto-submitted', 'auto-generated', false],
  ['precedence', 'auto_reply', true],
  ['precedence', 'bulk', false],
  ['x-autoreply', 'yes', true],
  ['x-auto-response-suppress', 'All', true],
  ['subject', 'Automatic reply: Your offer', true],
  ['subject', 'Out of Office: Ann', true],
  ['subject', 'OOO: back on Monday', true],
  ['subject', 'Automatische Antwort: Angebot', true],
  ['subject', 'Abwesenheitsnotiz', true],
  ['subject', 'Réponse automatique : Devis', true],
  ['subject', 'Respuesta automática: Oferta', true],
  ['subject', 'Risposta automatica: Offerta', true],
  ['subject', 'Resposta automática: Proposta', true],
  ['subject', 'Автоматический ответ: Предложение', true],
  ['subject', '自動応答: お見積り', true],
  ['subject', 'AW: Automatische Antwort', false],
  ['subject', 'auto: cars for sale', false],
  ['subject', 'Re: automatic replying', false],
])('isAutoReply: header %s: %s, returns %s', (name, value, expected) => {
  expect(isAutoReply({ [name]: [value] })).toBe(expected)
})

test('isAutoReply: subject auto:, only for a reply', () => {
  expect(isAutoReply({ subject: ['auto: away'], 'in-reply-to': ['<a@b>'] })).toBe(true)
})

test('parseMessage: soft breaks in latin1, an ISO-2022-JP header, an RFC 2231 name', async () => {
  const parsed = await parseMessage(
    mail(
      'Subject: =?ISO-2022-JP?B?GyRCRnxLXDhsGyhC?=',
      'From: =?iso-8859-1?q?J=F6rg?= <j@example.com>',
      'Message-ID: <a@example.com>',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'na=EFve caf=',
      '=E9',
      '--b',
      'Content-Type: application/octet-stream',
      "Content-Disposition: attachment; filename*0*=utf-8''%e2%82%ac; filename*1=.txt",
      'Content-Transfer-Encoding: base64',
      '',
      'aGk=',
      '--b--',
    ),
  )
  expect(parsed).toMatchObject({
    subject: '日本語',
    from: [{ name: 'Jörg', address: 'j@example.com' }],
    messageId: '<a@example.com>',
    incomplete: false,
  })
  expect(parsed.text.trim()).toBe('naïve café')
  expect(parsed.attachments).toEqual([
    {
      filename: '€.txt',
      contentType: expect.any(String),
      inline: false,
      content: Buffer.from('hi'),
    },
  ])
})

test('parseMessage: beyond a limit, returns headers and incomplete', async () => {
  const parts = '--b\r\n\r\nx\r\n'.repeat(100_000)
  const parsed = await parseMessage(
    Buffer.from(`Subject: bomb\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`),
  )
  expect(parsed).toMatchObject({ subject: 'bomb', incomplete: true, attachments: [] })
})

test('parseMessage: reads a stream up to the limit', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const endless = Readable.from(
    (function* () {
      yield Buffer.from('Subject: endless\r\n\r\n')
      for (;;) yield chunk
    })(),
  )
  expect(await parseMessage(endless)).toMatchObject({ subject: 'endless', incomplete: true })
  expect(endless.destroyed).toBe(true)
})

test('canonicalLines: converts lone CR and LF to CRLF only', () => {
  const same = Buffer.from('a\r\n.\r\n')
  expect(canonicalLines(same)).toBe(same)
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('\r', '\n', '\r\n', 'a', '.', 'é'), { maxLength: 40 }),
      (parts) => {
        const text = parts.join('')
        expect(canonicalLines(Buffer.from(text)).toString()).toBe(
          text.replace(/\r\n|\r|\n/g, '\r\n'),
        )
      },
    ),
  )
})
