/** Subject and texts of a composed message. A message without a text has no such member. */
export interface MessagePreview {
  subject: string
  text?: string
  html?: string
}

/** Headers by lower-case name, and body, of a message or a MIME part. Each character is a byte. */
interface Part {
  headers: ReadonlyMap<string, string>
  body: string
}

/** Reads the subject and the texts of a composed message from its MIME source in base64. */
export function readPreview(source: string): MessagePreview {
  const message = parsePart(atob(source))
  return { ...textsOf(message), subject: decodeWords(message.headers.get('subject') ?? '') }
}

function parsePart(source: string): Part {
  const end = /\r?\n\r?\n/.exec(source)
  const head = source.slice(0, end?.index ?? source.length)
  const body = end ? source.slice(end.index + end[0].length) : ''
  // RFC 5322 §2.2.3: a line that begins with a space continues the header.
  const lines = head.replaceAll(/\r?\n(?=[ \t])/g, '').split(/\r?\n/)
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  return { headers: new Map(headers), body }
}

/** Plain text and HTML of a MIME part, and of the parts inside. The first text of a type counts. */
function textsOf(part: Part): Omit<MessagePreview, 'subject'> {
  const type = part.headers.get('content-type') ?? 'text/plain'
  const boundary = parameterOf(type, 'boundary')
  if (/^multipart\//i.test(type) && boundary !== undefined)
    return partsOf(part.body, boundary)
      .map((each) => textsOf(each))
      .reduce((all, each) => ({ ...each, ...all }), {})
  if (/^attachment/i.test(part.headers.get('content-disposition') ?? '')) return {}
  if (/^text\/html\b/i.test(type)) return { html: decodeBody(part, type) }
  return /^text\/plain\b/i.test(type) ? { text: decodeBody(part, type) } : {}
}

/** Parts between the delimiter lines of a multipart body (RFC 2046 §5.1.1). */
function partsOf(body: string, boundary: string): Part[] {
  const delimiter = `\n--${boundary}`
  const [, ...rest] = `\n${body}`.split(delimiter)
  const parts = rest.filter((each) => !each.startsWith('--'))
  return parts.map((each) => parsePart(each.replace(/^[ \t]*\r?\n/, '').replace(/\r$/, '')))
}

function parameterOf(header: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(header) ?? []
  return quoted ?? plain
}

function decodeBody({ headers, body }: Part, type: string): string {
  const encoding = (headers.get('content-transfer-encoding') ?? '').toLowerCase()
  return decodeCharset(decodeTransfer(body, encoding), parameterOf(type, 'charset'))
}

function decodeTransfer(body: string, encoding: string): string {
  if (encoding === 'base64') return atob(body.replaceAll(/\s/g, ''))
  return encoding === 'quoted-printable' ? decodeQuoted(body.replaceAll(/[ \t]*=\r?\n/g, '')) : body
}

function decodeQuoted(text: string): string {
  return text.replaceAll(/=([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** Text that the decoded bytes of a message contain. Each character of `bytes` is a byte. */
function decodeCharset(bytes: string, charset = 'utf-8'): string {
  return new TextDecoder(charset).decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
}

/** Text of a header with encoded words (RFC 2047), such as `=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=`. */
function decodeWords(header: string): string {
  const joined = decodeCharset(header).replaceAll(/\?=\s+=\?/g, '?==?')
  return joined.replaceAll(
    /=\?([^?]+)\?([bq])\?([^?]*)\?=/gi,
    (_all, ...[charset = '', encoding = '', text = '']: string[]) =>
      decodeCharset(
        encoding.toLowerCase() === 'b' ? atob(text) : decodeQuoted(text.replaceAll('_', ' ')),
        charset,
      ),
  )
}
