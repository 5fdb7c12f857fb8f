import { decodeText, parseHeaders } from '@posthorn/mime'

export type Headers = Record<string, string[]>

/** The first value of a header; empty where there is none. */
export function first(headers: Headers, name: string): string {
  return headers[name]?.[0]?.trim() ?? ''
}

/** A part of a message that has no parts itself; a message within the message is one. */
export interface Part {
  /** Lower case, without parameters. */
  type: string
  headers: Headers
  /** Decoded from transfer encoding and charset. */
  text: string
}

export interface ReportParts {
  headers: Headers
  /** Of the whole, lower case, without parameters. */
  type: string
  parameters: Map<string, string>
  /** Of a `multipart/report` (RFC 6522), lower case; else empty. */
  reportType: string
  parts: Part[]
}

/** What a report says stands in its first bytes; what follows is the message it is about. */
const maxBytes = 1024 * 1024
const maxParts = 50
const maxDepth = 6
/** Letters of one part that are looked at. */
const maxText = 256 * 1024

/**
 * Takes a message apart as a report is read: flat, nested messages left whole, forgiving about everything. Not `parseMessage`, which hides
 * the boundaries between the parts a report consists of. Never throws; time and memory in proportion to the first megabyte.
 */
export function parseParts(message: Buffer): ReportParts {
  // Some files begin with the envelope line of mbox.
  const bytes = message.subarray(0, maxBytes)
  const source = bytes.toString('latin1').replace(/^From [^\n]*\n/, '')
  const whole = split(source)
  const parts: Part[] = []
  collect(whole, parts, 0)
  const { type, parameters } = typeOf(whole.headers)
  const reportType = parameters.get('report-type')?.toLowerCase() ?? ''
  return { headers: whole.headers, type, parameters, reportType, parts }
}

interface Entity {
  headers: Headers
  body: string
}

function split(source: string): Entity {
  const gap = /\r?\n\r?\n/.exec(source)
  // A part may have no header at all: then it begins with the empty line.
  if (/^\r?\n/.test(source)) return { headers: {}, body: source.replace(/^\r?\n/, '') }
  const end = gap ? gap.index : source.length
  const head = Buffer.from(source.slice(0, end), 'latin1')
  return { headers: parseHeaders(head), body: gap ? source.slice(end + gap[0].length) : '' }
}

function collect({ headers, body }: Entity, parts: Part[], depth: number): void {
  if (parts.length >= maxParts) return
  const { type, parameters } = typeOf(headers)
  const boundary = parameters.get('boundary')
  const pieces = type.startsWith('multipart/') && boundary ? cut(body, boundary) : []
  if (pieces.length > 0 && depth < maxDepth) {
    for (const piece of pieces) collect(split(piece), parts, depth + 1)
    return
  }
  // Parts that cannot be told apart are read as one text.
  const shown = type.startsWith('multipart/') ? 'text/plain' : type
  parts.push({ type: shown, headers, text: textOf({ headers, body }, parameters.get('charset')) })
}

/** The pieces between the boundary's lines; what stands before the first and after the last is for readers without MIME. */
function cut(body: string, boundary: string): string[] {
  const pieces: string[] = []
  const line = `--${boundary}`
  let start = -1
  for (let at = body.indexOf(line); at >= 0; at = body.indexOf(line, at + line.length)) {
    if (at > 0 && body[at - 1] !== '\n') continue
    if (start >= 0) pieces.push(body.slice(start, at).replace(/\r?\n$/, ''))
    if (body.startsWith('--', at + line.length) || pieces.length >= maxParts) return pieces
    const end = body.indexOf('\n', at)
    start = end < 0 ? body.length : end + 1
  }
  if (start >= 0) pieces.push(body.slice(start))
  return pieces
}

function textOf({ headers, body }: Entity, charset: string | undefined): string {
  const encoding = headers['content-transfer-encoding']?.[0]?.trim().toLowerCase() ?? ''
  const bounded = body.slice(0, maxText)
  return decodeText(decoded(bounded, encoding), charset).replaceAll('\r\n', '\n')
}

function decoded(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding === 'quoted-printable')
    return Buffer.from(
      body
        .replace(/[ \t]*=\r?\n/g, '')
        .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      'latin1',
    )
  return Buffer.from(body, 'latin1')
}

function typeOf(headers: Headers): { type: string; parameters: Map<string, string> } {
  const value = headers['content-type']?.[0] ?? 'text/plain'
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of value
    .slice(0, 4_096)
    .matchAll(/;\s*([\w*-]{1,64})\s*=\s*(?:"([^"]*)"|([^;\s]*))/g))
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), quoted ?? bare)
  return { type: (value.split(';')[0] ?? '').trim().toLowerCase(), parameters }
}
