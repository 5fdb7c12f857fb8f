/** Message or MIME part, parsed as far as FETCH needs. Strings have one byte per character. */
export interface MimePart {
  /** Header section of the MIME part with the empty line that ends the header. */
  header: string
  body: string
  type: string
  subtype: string
  parameters: [name: string, value: string][]
  /** MIME parts of a multipart, or the message of a message/rfc822. */
  parts: MimePart[]
}

/**
 * Maximum nesting of MIME parts. Deeper parts are described as application/octet-stream, as Dovecot
 * does.
 */
export const maxNesting = 200

export function parseMime(text: string, parentSubtype = '', depth = 0): MimePart {
  const end = text.startsWith('\r\n') ? 0 : text.indexOf('\r\n\r\n') + 2
  const headerEnd = end === 1 ? text.length : end + 2
  const header = text.slice(0, headerEnd)
  const body = text.slice(headerEnd)
  const { value, parameters } = readParameters(
    depth < maxNesting ? typeOf(header, parentSubtype) : 'application/octet-stream',
  )
  const [type = 'text', subtype = 'plain'] = value.toLowerCase().split('/')
  const part: MimePart = { header, body, type, subtype, parameters, parts: [] }
  part.parts = partsOf(part, depth + 1)
  return part
}

function typeOf(header: string, parentSubtype: string): string {
  return (
    field(header, 'content-type') ??
    (parentSubtype === 'digest' ? 'message/rfc822' : 'text/plain; charset=us-ascii')
  )
}

function partsOf({ body, type, subtype, parameters }: MimePart, depth: number): MimePart[] {
  if (type === 'message' && subtype === 'rfc822') return [parseMime(body, '', depth)]
  const boundary = parameters.find(([name]) => name === 'boundary')?.[1]
  if (type !== 'multipart' || boundary === undefined) return []
  return splitAt(body, boundary).map((part) => parseMime(part, subtype, depth))
}

/** Returns the unfolded value of the first header field with the given name. */
export function field(header: string, name: string): string | undefined {
  const match = new RegExp(`^${name}:[ \\t]*((?:.*(?:\\r\\n[ \\t]+.*)*))`, 'im').exec(header)
  return match?.[1]?.replace(/\r\n(?=[ \t])/g, '').trim()
}

/**
 * Returns the named fields of a message's header unchanged, with an empty line at the end. With
 * `not`, returns all other fields.
 */
export function someFields(header: string, names: readonly string[], not = false): string {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  const fields = header.match(/^[^\r\n:]+:.*(?:\r\n[ \t]+.*)*\r\n/gm) ?? []
  const kept = fields.filter(
    (each) => wanted.has(each.split(':', 1)[0]?.toLowerCase() ?? '') !== not,
  )
  return `${kept.join('')}\r\n`
}

/** Parses a header value with parameters, such as `text/plain; charset="utf-8"`. */
export function readParameters(text: string): {
  value: string
  parameters: [name: string, value: string][]
} {
  const [value = ''] = text.split(';', 1)
  const parameters: [string, string][] = []
  for (const [, name = '', quoted, bare = ''] of text.matchAll(
    /;\s*([^=\s;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g,
  ))
    parameters.push([name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? bare])
  return { value: value.trim(), parameters }
}

/**
 * Splits the body of a multipart at its boundary. The line break before a boundary is part of the
 * boundary (RFC 2046 §5.1.1).
 */
function splitAt(body: string, boundary: string): string[] {
  const mark = `\r\n--${boundary}`
  // The body of a multipart is split without concatenation, so that the pieces share its memory. A
  // concatenation would copy the body at each level.
  const [first = '', ...rest] = body.split(mark)
  const start = mark.slice(2)
  const pieces = first.startsWith(start) ? [first.slice(start.length), ...rest] : rest
  const end = pieces.findIndex((piece) => piece.startsWith('--'))
  return (end < 0 ? pieces : pieces.slice(0, end)).map((piece) => piece.replace(/^[ \t]*\r\n/, ''))
}

/**
 * Returns a MIME part by its number, such as `1.2`. Part 1 of a part without children is the part
 * itself.
 */
export function findPart(root: MimePart, number: string): MimePart | undefined {
  let part: MimePart | undefined = root
  for (const digit of number.split('.').map(Number)) {
    // Numbers of MIME parts continue inside a message/rfc822.
    const holder: MimePart | undefined = part?.type === 'message' ? (part.parts[0] ?? part) : part
    if (!holder) return undefined
    part = holder.type === 'multipart' ? holder.parts[digit - 1] : digit === 1 ? holder : undefined
  }
  return part
}
