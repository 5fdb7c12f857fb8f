import { decodeText, parseHeaders } from '@posthorn/mime'

export type Headers = Record<string, string[]>

/** First value of a message header; empty if the header is absent. */
export function first(headers: Headers, name: string): string {
  return headers[name]?.[0]?.trim() ?? ''
}

/**
 * Leaf part of a report message: a MIME part without parts of its own. A nested message is one
 * leaf.
 */
export interface Part {
  /** Media type of the message part in lower case, without parameters. */
  type: string
  headers: Headers
  /** Text of the message part, decoded from transfer encoding and charset. */
  text: string
}

export interface ReportParts {
  headers: Headers
  /** Report type of a `multipart/report` message (RFC 6522) in lower case; else empty. */
  reportType: string
  parts: Part[]
}

/**
 * Maximum bytes of a report message that are read. The report comes first, then the message that it
 * returns.
 */
const maxBytes = 1024 * 1024
const maxParts = 50
const maxDepth = 6
/** Maximum characters of the text of one part of a report message. */
const maxText = 256 * 1024

/**
 * Splits a report message into its leaf parts (MIME parts without parts of their own). Tolerates
 * malformed MIME and never throws. Time and memory are proportional to the first MiB. Decision 0027
 * explains why `parseMessage` is not used.
 */
export function parseParts(message: Buffer): ReportParts {
  const bytes = message.subarray(0, maxBytes)
  // Removes the envelope line of an mbox file, with which a stored report may begin.
  const source = bytes.toString('latin1').replace(/^From [^\n]*\n/, '')
  const root = splitEntity(source)
  const parts: Part[] = []
  collectParts(root, parts, 0)
  const { parameters } = parseContentType(root.headers)
  const reportType = parameters.get('report-type')?.toLowerCase() ?? ''
  return { headers: root.headers, reportType, parts }
}

interface Entity {
  headers: Headers
  body: string
}

function splitEntity(source: string): Entity {
  const gap = /\r?\n\r?\n/.exec(source)
  // A MIME part of a report that has no headers begins with the empty line.
  if (/^\r?\n/.test(source)) return { headers: {}, body: source.replace(/^\r?\n/, '') }
  const end = gap ? gap.index : source.length
  const head = Buffer.from(source.slice(0, end), 'latin1')
  return { headers: parseHeaders(head), body: gap ? source.slice(end + gap[0].length) : '' }
}

function collectParts({ headers, body }: Entity, parts: Part[], depth: number): void {
  if (parts.length >= maxParts) return
  const { type, parameters } = parseContentType(headers)
  const boundary = parameters.get('boundary')
  const pieces = type.startsWith('multipart/') && boundary ? splitBody(body, boundary) : []
  if (pieces.length > 0 && depth < maxDepth) {
    for (const piece of pieces) collectParts(splitEntity(piece), parts, depth + 1)
    return
  }
  // A multipart part of a report without a usable boundary is read as one text.
  const leafType = type.startsWith('multipart/') ? 'text/plain' : type
  const text = decodeBody({ headers, body }, parameters.get('charset'))
  parts.push({ type: leafType, headers, text })
}

/**
 * Splits the multipart body of a report into the pieces between the boundary lines, without
 * preamble and epilogue (RFC 2046 §5.1.1). Linear in time: a comparison with the boundary ends at
 * the first difference or the end of the line.
 */
function splitBody(body: string, boundary: string): string[] {
  const pieces: string[] = []
  let start = -1
  for (let at = nextDashes(body, 0); at >= 0; at = nextDashes(body, at + 1)) {
    if (!body.startsWith(boundary, at + 2)) continue
    if (start >= 0) pieces.push(body.slice(start, at).replace(/\r?\n$/, ''))
    if (body.startsWith('--', at + 2 + boundary.length) || pieces.length >= maxParts) return pieces
    const end = body.indexOf('\n', at)
    start = end < 0 ? body.length : end + 1
  }
  if (start >= 0) pieces.push(body.slice(start))
  return pieces
}

/**
 * Position of the next line of a multipart body that begins with two dashes; negative if there is
 * no such line.
 */
function nextDashes(body: string, from: number): number {
  if (from === 0 && body.startsWith('--')) return 0
  const at = body.indexOf('\n--', Math.max(0, from - 1))
  return at < 0 ? at : at + 1
}

function decodeBody({ headers, body }: Entity, charset: string | undefined): string {
  const encoding = headers['content-transfer-encoding']?.[0]?.trim().toLowerCase() ?? ''
  const bytes = decodeTransfer(body.slice(0, maxText), encoding)
  return decodeText(bytes, charset).replaceAll('\r\n', '\n')
}

function decodeTransfer(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding === 'quoted-printable')
    return Buffer.from(
      body
        // Removes soft line breaks of a quoted-printable text (RFC 2045 §6.7 rule 3). White space
        // behind the "=" was added in transit.
        .replace(/=[ \t]*\r?\n/g, '')
        .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      'latin1',
    )
  return Buffer.from(body, 'latin1')
}

function parseContentType(headers: Headers): { type: string; parameters: Map<string, string> } {
  const value = headers['content-type']?.[0] ?? 'text/plain'
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of value
    .slice(0, 4_096)
    .matchAll(/;\s*([\w*-]{1,64})\s*=\s*(?:"([^"]*)"|([^;\s]*))/g))
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), quoted ?? bare)
  return { type: (value.split(';')[0] ?? '').trim().toLowerCase(), parameters }
}
