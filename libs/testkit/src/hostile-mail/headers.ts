import { fill, type HostileMessage, rawMessage } from './hostile-message.ts'

const length = 1_000_000
const body = '\r\nhello\r\n'
const charsets = 'utf-8 iso-2022-jp gb18030 big5 shift_jis euc-kr koi8-r utf-16le x-unknown'.split(
  ' ',
)
const words = (charset: string) => `=?${charset}?b?GyRCRnxLXDhsGyhC?= `

const heads: [string, () => string][] = [
  ['200,000 header fields', () => fill('a: b\r\n', length)],
  ['header field of 1 MB', () => `Subject: ${fill('word ', length)}\r\n`],
  ['300,000 folded lines', () => `Subject: x\r\n${fill(' x\r\n', length)}`],
  ['encoded words', () => `Subject: ${fill('=?a?b?QQ==?= ', length)}\r\n`],
  [
    'encoded words of changing charsets',
    () => `Subject: ${fill(charsets.map(words).join(''), length)}\r\n`,
  ],
  ['encoded words without end', () => `Subject: ${fill('=?utf-8?q?', length)}\r\n`],
  ['encoded word of 1 MB', () => `Subject: =?utf-8?q?${fill('=C3=A4', length)}?=\r\n`],
  ['starts of encoded words', () => `Subject: ${fill('=?', length)}\r\n`],
  [
    'encoded words with long charsets',
    () => `Subject: ${fill(`=?${'a'.repeat(100)}?x`, length)}\r\n`,
  ],
  ['50,000 recipients', () => `To: ${fill('a <a@example.com>, ', length)}\r\n`],
  ['nested comments', () => `To: ${fill('(', length)}a@example.com\r\n`],
  ['quoted names without end', () => `From: ${fill('"a ', length)}\r\n`],
  ['nested groups', () => `To: ${fill('a:', length)};\r\n`],
  ['50,000 references', () => `References: ${fill('<a@example.com> ', length)}\r\n`],
  ['name of 1 MB', () => `${fill('a', length)}: b\r\n`],
  ['lines of spaces', () => `a${fill(' ', length)}\r\n`],
  ['control characters', () => `Subject: ${fill('\0\x01', length)}\r\n`],
  ['subject like an automatic reply', () => `Subject: ${fill('auto ', length)}\r\n`],
  ['parameters of a content type', () => `Content-Type: text/plain${fill('; a=b', length)}\r\n`],
  ['continued parameters', () => `Content-Type: text/plain${fill("; a*0*=utf-8''b", length)}\r\n`],
]

export const hostileHeads: HostileMessage[] = heads.map(([name, head]) =>
  rawMessage(`head: ${name}`, () => head() + body),
)
