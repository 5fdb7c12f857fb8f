/** More is nobody's header. */
const maxHeadBytes = 1024 * 1024

/** One header field. */
export interface HeaderField {
  /** Lower case; empty where a line is no field. */
  name: string
  /** Without its line end; folded as it came, a byte a character. */
  line: string
}

export interface SplitMessage {
  fields: HeaderField[]
  /** What follows the empty line. */
  body: Buffer
}

/** RFC 5322 §3.6.8: printable ASCII without the colon; §4.5 lets space stand before that. */
const fieldStart = /^([!-9;-~]{1,256})[ \t]{0,100}:/
/** Characters that tell how a message begins. */
const startLength = 400

/**
 * Takes the head of a message apart, byte by byte what it was. Lines must end with CRLF. A message that does not begin with a field is all
 * body (RFC 5322 §3.5). Undefined where the head is larger than a megabyte.
 */
export function splitHead(message: Buffer): SplitMessage | undefined {
  if (message.subarray(0, 2).toString('latin1') === '\r\n')
    return { fields: [], body: message.subarray(2) }
  if (!fieldStart.test(message.toString('latin1', 0, startLength)))
    return { fields: [], body: message }
  const end = message.indexOf('\r\n\r\n')
  const headBytes = end === -1 ? message.length : end
  if (headBytes > maxHeadBytes) return undefined
  const lines = message.toString('latin1', 0, headBytes).split(/\r\n(?![ \t])/)
  const fields = lines.filter((line) => line !== '').map(fieldOf)
  return { fields, body: message.subarray(Math.min(headBytes + 4, message.length)) }
}

function fieldOf(line: string): HeaderField {
  const [, name = ''] = fieldStart.exec(line) ?? []
  return { name: name.toLowerCase(), line }
}

export function joinHead({ fields, body }: SplitMessage): Buffer {
  const head = fields.map(({ line }) => `${line}\r\n`).join('')
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body])
}

/** The value of a field as text: in UTF-8, as mail has it today where it is not ASCII (RFC 6532), or else in Latin-1. */
export function fieldValue({ line }: HeaderField): string {
  const bytes = Buffer.from(line.slice(line.indexOf(':') + 1), 'latin1')
  const text = bytes.toString('utf8')
  return (text.includes('\ufffd') ? bytes.toString('latin1') : text)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .trim()
}
