import { decodeText, decodeWords } from './decode.ts'

// Header section of a message: parsed to decoded values, or split and joined byte by byte.

/** Maximum bytes of the header section of a message. A larger section is rejected when split. */
const maxSectionBytes = 1024 * 1024
/** Maximum bytes of a header section that are parsed. Decoding takes 0.2 µs per byte. */
const maxParsedBytes = 256 * 1024
const maxHeaders = 1_000
/** Line of a message header (RFC 5322 §3.6.8): its name is printable ASCII without the colon. */
const headerLine = /^([!-9;-~]{1,256})[ \t]*:(.*)$/s

/**
 * Parses the header section of a message up to its first empty line: lower-case names to decoded
 * values (RFC 2047), in order. Never throws. Skips lines that are no header; reads at most 1,000
 * headers and 256 KiB.
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
 * Logical lines of a header section up to the first empty line. RFC 5322 §2.2.3: white space
 * continues a line.
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
 * Replaces control characters of a header value, which an encoded word may contain, with spaces.
 */
function withoutControls(value: string): string {
  return value.replace(/[\0-\x08\x0a-\x1f\x7f]+/g, ' ').trim()
}

/** Beginnings of automatic replies' subjects in the languages of common mail software. */
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
 * True if a message is an automatic reply, such as a vacation message. Takes the result of
 * `parseHeaders`; checks RFC 3834 §5 and the older headers and subjects of common software.
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

/** Header field of a message. */
export interface HeaderField {
  /** Name of the header field in lower case; empty if the line is no field. */
  name: string
  /** Raw header field without its final line end, folded as received, one character per byte. */
  line: string
}

export interface SplitMessage {
  fields: HeaderField[]
  /** Bytes of the message after the empty line that ends the header section. */
  body: Buffer
}

/**
 * Start of a header field (RFC 5322 §3.6.8): printable ASCII without the colon; §4.5 allows
 * spaces before the colon.
 */
const fieldStart = /^([!-9;-~]{1,256})[ \t]{0,100}:/
/** Number of bytes of a message that suffice to recognise its first header field. */
const startLength = 400

/**
 * Splits a message into its raw header fields and its body. Lines must end with CRLF. A message
 * that does not begin with a field is all body (RFC 5322 §3.5). Undefined if the header section
 * exceeds 1 MiB.
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

/** Message from its raw header fields and its body: inverse of `splitHead`. */
export function joinHead({ fields, body }: SplitMessage): Buffer {
  const head = fields.map(({ line }) => `${line}\r\n`).join('')
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body])
}

/** Unfolded value of a header field, decoded as UTF-8 (RFC 6532) or else as Latin-1. */
export function fieldValue({ line }: HeaderField): string {
  const bytes = Buffer.from(line.slice(line.indexOf(':') + 1), 'latin1')
  const text = bytes.toString('utf8')
  return (text.includes('\ufffd') ? bytes.toString('latin1') : text)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .trim()
}
