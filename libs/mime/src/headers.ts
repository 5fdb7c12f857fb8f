import { decodeText, decodeWords } from './decode.ts'

// Functions for the header section of a message. A header section is parsed into decoded values, or
// split into raw fields that can be joined again without changes.

/**
 * Maximum number of bytes in the header section of a message. A message with a larger header
 * section is not split.
 */
const maxSectionBytes = 1024 * 1024
/**
 * Maximum number of bytes of a message's header section that are parsed. Decoding takes 0.2 µs per
 * byte.
 */
const maxParsedBytes = 256 * 1024
const maxHeaders = 1_000
/**
 * Pattern of a message header line (RFC 5322 §3.6.8). The header name consists of printable ASCII
 * characters except the colon.
 */
const headerLine = /^([!-9;-~]{1,256})[ \t]*:(.*)$/s

/**
 * Parses the header section of a message up to its first empty line. Returns the decoded values
 * (RFC 2047) of each header in order, by lower-case name. Never throws. Skips lines that are not
 * headers. Reads at most 1,000 headers and 256 KiB.
 */
export function parseHeaders(section: Uint8Array): Record<string, string[]> {
  const text = decodeText(
    Buffer.from(section.buffer, section.byteOffset, Math.min(section.length, maxParsedBytes)),
  )
  const headers = new Map<string, string[]>()
  let count = 0
  for (const unfolded of unfold(text)) {
    const match = headerLine.exec(unfolded)
    if (!match?.[1]) continue
    if (++count > maxHeaders) break
    const name = match[1].toLowerCase()
    const values = headers.get(name)
    const value = withoutControls(decodeWords((match[2] ?? '').trim()))
    if (values) values.push(value)
    else headers.set(name, [value])
  }
  return Object.fromEntries(headers)
}

/**
 * Splits a header section into logical lines, up to the first empty line. A line that starts with
 * white space continues the previous line (RFC 5322 §2.2.3).
 */
function unfold(text: string): string[] {
  const lines: string[][] = []
  for (const raw of text.split(/\r\n|\n|\r/)) {
    if (raw === '') break
    const last = lines.at(-1)
    if (last && /^[ \t]/.test(raw)) last.push(raw.replace(/^[ \t]+/, ' '))
    else lines.push([raw])
  }
  return lines.map((parts) => parts.join(''))
}

/**
 * Replaces control characters in a header value by spaces. An encoded word may contain control
 * characters.
 */
function withoutControls(value: string): string {
  return value.replace(/[\0-\x08\x0a-\x1f\x7f]+/g, ' ').trim()
}

/**
 * Pattern for the beginnings of subjects of automatic replies, in the languages of common mail
 * software.
 */
const autoReplySubjects = new RegExp(
  `^\\s*(?:${[
    'auto(?:matic)?[ -]?(?:reply|response)\\b|out of (?:the )?office\\b|ooo:|oof:',
    '(?:automatische (?:antwort|r.ckmeldung)|abwesenheits(?:notiz|nachricht|agent)|autoreply)',
    'r.ponse automatique|absen(?:t|ce) du bureau',
    'respuesta autom.tica|fuera de la oficina',
    'risposta automatica|fuori (?:sede|ufficio)',
    'resposta autom.tica|fora do escrit.rio',
    'автоматический ответ|автоответ',
    '自動(?:応答|返信)|不在(?:通知|のお知らせ)',
  ].join('|')})`,
  'iu',
)

/**
 * True if a message is an automatic reply, such as a vacation message. The argument is the result
 * of `parseHeaders`. Checks the header of RFC 3834 §5, and older headers and subjects of common
 * software.
 */
export function isAutoReply(headers: Record<string, string[]>): boolean {
  const first = (name: string) => headers[name]?.[0]?.trim().toLowerCase() ?? ''
  const subject = first('subject')
  return (
    first('auto-submitted').startsWith('auto-replied') ||
    ['auto_reply', 'auto-reply'].includes(first('precedence')) ||
    ['x-auto-response-suppress', 'x-autoreply', 'x-autorespond', 'x-autoresponder'].some(
      (name) => name in headers,
    ) ||
    autoReplySubjects.test(subject) ||
    (subject.startsWith('auto:') && 'in-reply-to' in headers)
  )
}

/** Header field of a message, in raw form. */
export interface HeaderField {
  /** Name of the message header field in lower case. Empty if the line is not a valid field. */
  name: string
  /**
   * Message header field as received: folded, one character per byte, without the last line end.
   */
  line: string
}

export interface SplitMessage {
  fields: HeaderField[]
  /** Body of the message: the bytes after the empty line that ends the header section. */
  body: Buffer
}

/**
 * Pattern for the start of a header field: printable ASCII characters except the colon (RFC 5322
 * §3.6.8). Spaces before the colon are allowed (RFC 5322 §4.5).
 */
const fieldStart = /^([!-9;-~]{1,256})[ \t]{0,100}:/
/**
 * Number of bytes at the beginning of a message that are sufficient to recognise a first header
 * field.
 */
const startLength = 400

/**
 * Splits a message into its raw header fields and its body. Lines must end with CRLF. If a message
 * does not begin with a header field, the whole message is its body (RFC 5322 §3.5). Undefined if
 * the header section is larger than 1 MiB.
 */
export function splitHead(message: Buffer): SplitMessage | undefined {
  if (message.subarray(0, 2).toString('latin1') === '\r\n')
    return { fields: [], body: message.subarray(2) }
  if (!fieldStart.test(message.toString('latin1', 0, startLength)))
    return { fields: [], body: message }
  const end = message.indexOf('\r\n\r\n')
  const sectionBytes = end === -1 ? message.length : end
  if (sectionBytes > maxSectionBytes) return undefined
  const lines = message.toString('latin1', 0, sectionBytes).split(/\r\n(?![ \t])/)
  const fields = lines.filter((line) => line !== '').map(toField)
  return { fields, body: message.subarray(Math.min(sectionBytes + 4, message.length)) }
}

function toField(line: string): HeaderField {
  const [, name = ''] = fieldStart.exec(line) ?? []
  return { name: name.toLowerCase(), line }
}

/** Joins raw header fields and a body to a message. Reverses `splitHead`. */
export function joinHead({ fields, body }: SplitMessage): Buffer {
  const head = fields.map(({ line }) => `${line}\r\n`).join('')
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body])
}

/**
 * Value of a message header field without folding. The value is decoded as UTF-8 (RFC 6532), or as
 * Latin-1 if it is not valid UTF-8.
 */
export function fieldValue({ line }: HeaderField): string {
  const bytes = Buffer.from(line.slice(line.indexOf(':') + 1), 'latin1')
  const text = bytes.toString('utf8')
  return (text.includes('\ufffd') ? bytes.toString('latin1') : text)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .trim()
}
