import { decodeText } from './decode-text.ts'
import { decodeWords } from './decode-words.ts'

/** A header block beyond this is cut (E16): a message must not be able to occupy us with its headers. */
const maxBlockBytes = 1024 * 1024
const maxHeaders = 1_000
/** RFC 5322 §3.6.8: printable ASCII without the colon. */
const line = /^([!-9;-~]{1,256})[ \t]*:(.*)$/s

/**
 * The headers of a block, by lower-case name, values decoded (RFC 2047) and in their order. Reads to the first empty line.
 *
 * Never throws. What is no header is skipped; the first 1,000 headers of the first megabyte count.
 */
export function parseHeaders(block: Uint8Array): Record<string, string[]> {
  const text = decodeText(
    Buffer.from(block.buffer, block.byteOffset, Math.min(block.length, maxBlockBytes)),
  )
  const headers = new Map<string, string[]>()
  let kept = 0
  for (const unfolded of unfold(text)) {
    const match = line.exec(unfolded)
    if (!match?.[1]) continue
    if (++kept > maxHeaders) break
    const name = match[1].toLowerCase()
    const values = headers.get(name)
    const value = clean(decodeWords((match[2] ?? '').trim()))
    if (values) values.push(value)
    else headers.set(name, [value])
  }
  return Object.fromEntries(headers)
}

/** The logical lines up to the first empty one. RFC 5322 §2.2.3: a line that starts with white space goes on with the one before. */
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

/** An encoded word may hide line breaks, which nobody expects in a value. */
function clean(value: string): string {
  return value.replace(/[\0-\x08\x0a-\x1f\x7f]+/g, ' ').trim()
}
