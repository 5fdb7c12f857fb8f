import { invalidField } from './refuse-injection.ts'

/** More is nobody's header. */
const maxHeadBytes = 1024 * 1024

/** One header field. */
export interface Field {
  /** Lower case. */
  name: string
  /** Without its line end; folded as it came, a byte a character. */
  line: string
}

export interface SplitMessage {
  fields: Field[]
  /** What follows the empty line. */
  body: Buffer
}

/**
 * Takes the head of a message apart, byte by byte what it was. Lines must end with CRLF.
 *
 * @throws AppError `invalid` that names `path`, for bytes that do not begin with header fields: they are no message
 */
export function splitHead(message: Buffer, path: string): SplitMessage {
  const end = message.subarray(0, 2).toString('latin1') === '\r\n' ? 0 : message.indexOf('\r\n\r\n')
  const headBytes = end === -1 ? message.length : end
  if (headBytes > maxHeadBytes) throw invalidField(path, 'has headers that are too large')
  const lines = message
    .subarray(0, headBytes)
    .toString('latin1')
    .split(/\r\n(?![ \t])/)
  // What mailbox files put before each message.
  if (/^>?From /.test(lines[0] ?? '')) lines.shift()
  const fields = lines.filter((line) => line !== '').map((line) => fieldOf(line, path))
  const bodyStart = end === 0 ? 2 : headBytes + 4
  return { fields, body: message.subarray(Math.min(bodyStart, message.length)) }
}

/** RFC 5322 §3.6.8: printable ASCII without the colon; §4.5 lets space stand before that. */
function fieldOf(line: string, path: string): Field {
  const [, name] = /^([!-9;-~]{1,256})[ \t]{0,100}:/.exec(line) ?? []
  if (name === undefined) throw invalidField(path, 'must be a message that begins with its headers')
  return { name: name.toLowerCase(), line }
}

export function joinHead({ fields, body }: SplitMessage): Buffer {
  const head = fields.map(({ line }) => `${line}\r\n`).join('')
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body])
}

/** The value of a field as text: in UTF-8, as mail has it today where it is not ASCII (RFC 6532), or else in Latin-1. */
export function valueOf({ line }: Field): string {
  const bytes = Buffer.from(line.slice(line.indexOf(':') + 1), 'latin1')
  const text = bytes.toString('utf8')
  return (text.includes('\ufffd') ? bytes.toString('latin1') : text)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .trim()
}
