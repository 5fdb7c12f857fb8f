import { decodeText } from './decode-text.ts'

// RFC 2047 §2. Spaces inside are not allowed there but common.
const word = /=\?([^?\s]{1,100})\?([bq])\?([^?\r\n]*)\?=/gi

/**
 * A header value with its encoded words decoded (RFC 2047). Neighbouring words are joined as bytes where they share a charset: many
 * senders cut a character in two.
 */
export function decodeWords(value: string): string {
  if (!value.includes('=?')) return value
  const parts: (string | EncodedWord)[] = []
  let end = 0
  for (const match of value.matchAll(word)) {
    const between = value.slice(end, match.index)
    // RFC 2047 §6.2: white space between two encoded words is not part of the text.
    const joins = parts.length > 0 && between.trim() === ''
    if (!joins) parts.push(between)
    append(parts, toBytes(match))
    end = match.index + match[0].length
  }
  parts.push(value.slice(end))
  return parts
    .map((part) =>
      typeof part === 'string' ? part : decodeText(Buffer.concat(part.bytes), part.charset),
    )
    .join('')
}

interface EncodedWord {
  charset: string
  bytes: Buffer[]
}

function append(parts: (string | EncodedWord)[], next: EncodedWord): void {
  const last = parts.at(-1)
  // ISO-2022 texts start and end in ASCII within each word: joining them is harmless, too.
  if (typeof last === 'object' && last.charset === next.charset) last.bytes.push(...next.bytes)
  else parts.push(next)
}

function toBytes([, charset = '', encoding = '', text = '']: RegExpMatchArray): EncodedWord {
  const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : fromQ(text)
  return { charset: charset.toLowerCase().replace(/\*.*$/, ''), bytes: [bytes] }
}

function fromQ(text: string): Buffer {
  const latin = text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  // Bytes beyond ASCII that were not encoded came in as UTF-8.
  return /[^\0-\xff]/.test(latin) ? Buffer.from(latin, 'utf8') : Buffer.from(latin, 'latin1')
}
