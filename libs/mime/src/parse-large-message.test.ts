import { describe, expect, test } from '@jest/globals'
import { joined, type MessageSource, rangeBytes, toSource } from './message-source.ts'
import { parseLargeMessage } from './parse-large-message.ts'
import { parseMessage } from './parse-message.ts'
import { scanParts } from './scan-parts.ts'

const lines = (...all: string[]) => all.join('\r\n')
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n')
const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 31) % 251))
const attached = (name: string, encoded: string, encoding = 'base64') =>
  lines(
    `Content-Type: application/pdf; name=${name}`,
    `Content-Disposition: attachment; filename=${name}`,
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    encoded,
  )
const multipart = (boundary: string, parts: string[], type = 'mixed') =>
  lines(
    `Content-Type: multipart/${type}; boundary="${boundary}"`,
    '',
    'preamble',
    ...parts.map((part) => `--${boundary}\r\n${part}`),
    `--${boundary}--`,
    'epilogue',
  )
const text = 'Content-Type: text/plain\r\n\r\nhello'
const html = 'Content-Type: text/html\r\n\r\n<p>hello</p>'
const head = 'From: a@example.com\r\nSubject: s\r\nMIME-Version: 1.0\r\n'

const large = bytesOf(100_001)
const long = `${'--'.repeat(40)}\r\n`.repeat(1_000)
/** Builds a message with a multipart of these MIME parts. */
const message = (...parts: string[]) => head + multipart('b', parts)
const file = (name: string) => attached(name, base64(large))
const forwarded = (inner: string) => `Content-Type: message/rfc822\r\n\r\n${inner}`
const csv = 'Content-Type: text/csv\r\nContent-Disposition: attachment; filename=t.csv\r\n\r\n'
const unended = `Content-Type: multipart/related; boundary=c\r\n\r\n--c\r\n${html}`
const inner = head + multipart('inner', [text, file('x')])
const alternative = multipart('c', [text, html], 'alternative')
const printable = attached('a', '=41=42\r\n'.repeat(20_000), 'quoted-printable')

const messages: [name: string, message: string][] = [
  ['one text', `${head}\r\nhello`],
  ['one base64 body', head + file('a')],
  [
    'two files and two texts',
    message(alternative, file('a'), attached('b', large.toString('base64'))),
  ],
  ['file after a nested multipart without an end', message(unended, file('a'))],
  ['forwarded message with the boundary of another message', message(text, forwarded(inner))],
  ['lines that look like boundaries', message(text, attached('a', long, '7bit'))],
  ['text file', message(text, csv + 'a;b\r\n'.repeat(30_000))],
  ['long text', message(`${text} ${'text '.repeat(30_000)}`, file('a'))],
  ['boundary that begins another boundary', message(multipart('bb', [text, file('a')]), file('c'))],
  ['end without a line end', message(text, file('a')).replace('\r\nepilogue', '')],
  ['cut in a file', message(text, file('a')).slice(0, -50_000)],
  ['quoted-printable file', message(text, printable)],
  [
    'boundary of several parameters (RFC 2231)',
    message(text, file('a')).replace('boundary=', 'boundary*0='),
  ],
  [
    'type that only the scanner reads',
    message(text, file('a')).replace('multipart/mixed', 'multipart/x; a=";'),
  ],
]

/**
 * Message source whose large file is generated when it is read. Counts the bytes of the largest
 * read.
 */
function generated(fileBytes: number) {
  const before = Buffer.from(
    [
      `${head}Content-Type: multipart/mixed; boundary=b`,
      '',
      '--b',
      text,
      '--b',
      attached('a', ''),
    ].join('\r\n'),
  )
  const after = Buffer.from('\r\n--b--\r\n')
  const end = before.length + fileBytes
  const reads: number[] = []
  const source: MessageSource = {
    length: end + after.length,
    read(from, to) {
      reads.push(to - from)
      const result = Buffer.alloc(to - from, 'A')
      if (from < before.length) before.copy(result, 0, from, to)
      if (to > end) after.copy(result, Math.max(0, end - from), Math.max(0, from - end))
      return Promise.resolve(result)
    },
  }
  return { source, reads }
}

describe('parseLargeMessage', () => {
  test.each(messages)(
    '%s: the same texts and attachments as parseMessage',
    async (_name, source) => {
      const bytes = Buffer.from(source)
      const parsed = await parseLargeMessage(toSource(bytes))
      const { attachments, ...expected } = await parseMessage(bytes)
      expect(parsed).toMatchObject(expected)
      const contents = parsed.attachments.map(({ content }) => joined(content.chunks()))
      expect(await Promise.all(contents)).toEqual(attachments.map(({ content }) => content))
      expect(parsed.attachments.map(({ content }) => content.size)).toEqual(
        attachments.map(({ content }) => content.length),
      )
      expect(parsed.attachments.map(({ filename }) => filename)).toEqual(
        attachments.map(({ filename }) => filename),
      )
    },
  )

  test.each([-2, -1, 0, 1, 2, 3, 4, 5, 6, 7])(
    'boundary %i bytes from the end of a range: file is complete',
    async (shift) => {
      const start = Buffer.from(`${head}${multipart('b', [attached('a', '')])}`).indexOf(
        '\r\n--b--',
      )
      const content = Buffer.alloc(rangeBytes - start + shift, 'QUJD').toString('latin1')
      const bytes = Buffer.from(
        `${head}${multipart('b', [attached('a', content), attached('c', base64(large))])}`,
      )
      const { attachments } = await parseLargeMessage(toSource(bytes))
      expect(attachments.map(({ content: { size } }) => size)).toEqual([
        Buffer.from(content, 'base64').length,
        large.length,
      ])
    },
  )

  test('message of 140 MB: is read in ranges, of which one is in memory', async () => {
    const { source, reads } = generated(140_000_000)
    const { attachments, skeleton, incomplete } = await parseLargeMessage(source)
    expect(incomplete).toBe(false)
    expect(attachments[0]?.content.size).toBe(105_000_000)
    expect(Math.max(...reads)).toBe(rangeBytes)
    expect(skeleton.length).toBeLessThan(1_000)
  })

  test('message whose texts exceed 64 MiB: is incomplete', async () => {
    const bytes = Buffer.alloc(65 * 1024 * 1024, 'x')
    bytes.write(`${head}\r\n`)
    expect(await parseLargeMessage(toSource(bytes))).toMatchObject({ incomplete: true })
  })
})

test('scanParts: more than 1,000 parts, lists the first of them', async () => {
  const bytes = Buffer.from(
    `${head}${multipart(
      'b',
      Array.from({ length: 1_200 }, () => text),
    )}`,
  )
  expect(await scanParts(toSource(bytes))).toHaveLength(999)
})
