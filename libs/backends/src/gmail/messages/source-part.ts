import { parseHeaders } from '@posthorn/mime'

const maxDepth = 64

/**
 * Finds a MIME part by its Gmail part id in the source of a message (RFC 2046 §5.1). A part id
 * lists an index per level, counted from 0, such as `0.1`. The returned body still has its transfer
 * encoding. Undefined if the part does not exist.
 */
export function findSourcePart(
  source: Buffer,
  partId: string,
): { body: Buffer; encoding: string | undefined } | undefined {
  const indexes = partId === '' ? [] : partId.split('.').map(Number)
  if (indexes.length > maxDepth) return undefined
  let part = splitPart(source)
  for (const index of indexes) {
    const boundary = boundaryOf(part.head)
    const child = boundary && childAt(part.body, boundary, index)
    if (!child) return undefined
    part = splitPart(child)
  }
  const [encoding] = parseHeaders(part.head)['content-transfer-encoding'] ?? []
  return { body: part.body, encoding }
}

function splitPart(bytes: Buffer): { head: Buffer; body: Buffer } {
  if (bytes[0] === 13 && bytes[1] === 10) return { head: Buffer.alloc(0), body: bytes.subarray(2) }
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return { head: bytes, body: Buffer.alloc(0) }
  return { head: bytes.subarray(0, end + 2), body: bytes.subarray(end + 4) }
}

function boundaryOf(head: Buffer): string | undefined {
  const [type = ''] = parseHeaders(head)['content-type'] ?? []
  const [, quoted, bare] = /boundary="([^"]{1,200})"|boundary=([^\s;"]{1,200})/i.exec(type) ?? []
  return /^multipart\//i.test(type.trim()) ? (quoted ?? bare) : undefined
}

/**
 * MIME part at the position `index` of a multipart body, between two delimiter lines. Text before
 * the first delimiter line (preamble) is skipped.
 */
function childAt(body: Buffer, boundary: string, index: number): Buffer | undefined {
  const delimiter = `--${boundary}`
  let start = nextDelimiter(body, delimiter, 0)
  for (let count = 0; start !== -1; count++) {
    const after = start + delimiter.length
    if (body.toString('latin1', after, after + 2) === '--') return undefined
    const lineEnd = body.indexOf('\n', after)
    if (lineEnd === -1) return undefined
    const next = nextDelimiter(body, delimiter, lineEnd)
    // The line end before a delimiter of a MIME multipart belongs to the delimiter (RFC 2046
    // §5.1.1).
    const end = next === -1 ? body.length : Math.max(lineEnd + 1, next - 2)
    if (count === index) return body.subarray(lineEnd + 1, end)
    start = next
  }
  return undefined
}

function nextDelimiter(body: Buffer, delimiter: string, from: number): number {
  if (from === 0 && body.indexOf(delimiter) === 0) return 0
  const lineEnd = body.indexOf(`\n${delimiter}`, from)
  return lineEnd === -1 ? -1 : lineEnd + 1
}
