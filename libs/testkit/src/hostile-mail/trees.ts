import { fill, type HostileMessage, rawMessage, usualHead } from './hostile-message.ts'

const length = 1_000_000
const multipart = (boundary: string) =>
  `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`

function nestedParts(depth: number): string {
  const open = Array.from({ length: depth }, (_, at) => `${multipart(`b${at}`)}--b${at}\r\n`)
  return `${usualHead}${open.join('')}\r\nhello\r\n`
}

function encoded(encoding: string, body: () => string, charset = 'utf-8'): () => string {
  return () =>
    `${usualHead}Content-Type: text/plain; charset=${charset}\r\n` +
    `Content-Transfer-Encoding: ${encoding}\r\n\r\n${body()}`
}

const inParts = (piece: string) => () => `${usualHead}${multipart('b')}${fill(piece, length)}`

const trees: [string, () => string][] = [
  ['100,000 empty parts', inParts('--b\r\n\r\n')],
  ['parts without an empty line', inParts('--b\r\n')],
  ['lines like a boundary', inParts('--bb\r\n')],
  ['ends of the multipart', inParts('--b--\r\n')],
  ['parts with headers', inParts('--b\r\nContent-Type: text/html\r\n\r\n<p>x\r\n')],
  ['attachments', inParts('--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n')],
  ['100 nested multiparts', () => nestedParts(100)],
  ['5,000 nested multiparts', () => nestedParts(5_000)],
  ['nested messages', () => usualHead + fill('Content-Type: message/rfc822\r\n\r\n', length)],
  [
    'boundary of 100 kB',
    () => `${usualHead}${multipart(fill('b', 100_000))}--${fill('b', 900_000)}`,
  ],
]

const bodies: [string, () => string][] = [
  ['quoted-printable soft breaks', encoded('quoted-printable', () => fill('=\r\n', length))],
  ['quoted-printable bytes', encoded('quoted-printable', () => fill('=C3=A4', length))],
  ['base64 with other characters', encoded('base64', () => fill('QQ*=', length))],
  ['uuencode', encoded('x-uuencode', () => fill('begin 644 a\r\n', length))],
  ['lines of one character', encoded('8bit', () => fill('x\r\n', length))],
  ['lone line feeds', encoded('8bit', () => fill('\n', length))],
  ['iso-2022-jp escapes', encoded('8bit', () => fill('\x1b$B\x1b(B', length), 'iso-2022-jp')],
  ['gb18030 of four bytes', encoded('8bit', () => fill('\x81\x30\x81\x30', length), 'gb18030')],
  ['utf-16', encoded('8bit', () => fill('a\0', length), 'utf-16le')],
  ['utf-7', encoded('8bit', () => fill('+AGE-', length), 'utf-7')],
  ['big5', encoded('8bit', () => fill('\xa4\xa4', length), 'big5')],
  ['euc-kr', encoded('8bit', () => fill('\xb0\xa1', length), 'euc-kr')],
  ['shift_jis', encoded('8bit', () => fill('\x83\x65', length), 'shift_jis')],
  ['bytes that are invalid in utf-8', encoded('8bit', () => fill('\xff\xc3', length))],
  ['unknown charset', encoded('8bit', () => fill('\xe4', length), 'x-unheard-of')],
]

export const hostileTrees: HostileMessage[] = [
  ...trees.map(([name, text]) => rawMessage(`tree: ${name}`, text)),
  ...bodies.map(([name, text]) => rawMessage(`body: ${name}`, text)),
]
