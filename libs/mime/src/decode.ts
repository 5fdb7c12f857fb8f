/** Creates a text decoder for the charset label of a message. Undefined if the label is unknown. */
function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}

/**
 * Decodes the text of a message whose charset is missing or unknown. The text is decoded as UTF-8
 * if it is valid UTF-8, otherwise as Windows-1252.
 */
function guess(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return new TextDecoder('windows-1252').decode(content)
  }
}

/**
 * Decodes bytes of a message in the charset that the message names. Never throws: for an unknown
 * charset the charset is guessed, and a byte that is invalid in the charset becomes U+FFFD.
 */
export function decodeText(content: Uint8Array, charset?: string): string {
  const label =
    charset
      ?.trim()
      .replace(/^["']|["']$/g, '')
      .toLowerCase() ?? ''
  if (label === '' || /^(?:us-)?ascii$|^ansi_x3|^unknown|^x-unknown|^default$/.test(label))
    return guess(content)
  // A language after the charset label in a message is removed, as in `iso-8859-1*en` (RFC 2231
  // §5).
  const decoder = decoderFor(aliases[label] ?? label.replace(/\*.*$/, ''))
  return decoder ? decoder.decode(content) : guess(content)
}

/**
 * Charset names that are common in mail, but missing in the Encoding Standard, with their standard
 * names.
 */
const aliases: Record<string, string> = {
  utf8mb4: 'utf-8',
  cp932: 'shift_jis',
  'cp-850': 'windows-1252',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  'iso-2022-jp-1': 'iso-2022-jp',
  'iso-2022-jp-2': 'iso-2022-jp',
  'iso-2022-jp-ms': 'iso-2022-jp',
  'gb18030-2000': 'gb18030',
  'x-gbk': 'gbk',
}

// Pattern of an encoded word in a header (RFC 2047 §2). Spaces inside the word are permitted,
// because they are common in mail.
const encodedWord = /=\?([^?\s]{1,100})\?([bq])\?([^?\r\n]*)\?=/gi

/**
 * Decodes the encoded words in a header value (RFC 2047). Adjacent words with equal charsets are
 * joined as bytes before decoding, because many senders divide a multi-byte character between two
 * words.
 */
export function decodeWords(value: string): string {
  if (!value.includes('=?')) return value
  const parts: (string | EncodedWord)[] = []
  let end = 0
  for (const match of value.matchAll(encodedWord)) {
    const between = value.slice(end, match.index)
    // White space between two adjacent encoded words of a header is dropped (RFC 2047 §6.2).
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
  // Joining the bytes of adjacent encoded words is also correct for ISO-2022 charsets, because each
  // encoded word starts and ends in ASCII.
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
  // Characters above U+00FF occur if a header value contains unencoded non-ASCII text. Such text
  // was received as UTF-8.
  return /[^\0-\xff]/.test(latin) ? Buffer.from(latin, 'utf8') : Buffer.from(latin, 'latin1')
}
