import { decodeText, escapeHtml, htmlToText, toSafeHtml } from '@posthorn/mime'

/** Text part of a message. The transfer encoding is already decoded. */
export interface EncodedText {
  bytes: Uint8Array
  charset: string | undefined
  /**
   * True if the text part of the message was only read up to a limit, so that its end is missing.
   */
  isTruncated: boolean
}

export interface EncodedTexts {
  plain: readonly EncodedText[]
  html: readonly EncodedText[]
  /** True if the returned text must contain the plain text of the message. */
  wantsPlain: boolean
  /**
   * True if the HTML of the message must be sanitised for display in a page. If the message has no
   * HTML, its plain text is converted to HTML.
   */
  webSafe: boolean
  /**
   * True if text parts of the message were left out before its texts are joined, so that the text
   * is incomplete.
   */
  hasMore: boolean
}

export interface ReadText {
  plain?: string
  html?: string
  /** True if some text of the message was left out because of a limit. */
  hasMore: boolean
  webSafe?: boolean
}

/**
 * Maximum JSON size of the plain text and the HTML of a message together. A RabbitMQ message has at
 * most 15 MiB, and both texts are sent in one RabbitMQ message.
 */
export const maxJsonBytes = 12 * 1024 * 1024

/**
 * Joins the text parts of a message into one plain text and one HTML text. Texts that exceed the
 * JSON size limit are shortened. Pure function.
 */
export function readTexts({ plain, html, wantsPlain, webSafe, hasMore }: EncodedTexts): ReadText {
  const plainText = join(plain)
  const htmlText = join(html)
  const safe = webSafe ? toSafeHtml(htmlText ?? toHtml(plainText ?? '')) : undefined
  const shown = safe ? safe.html : htmlText
  return truncateToFit(
    {
      ...(wantsPlain && plainText !== undefined && { plain: plainText }),
      ...(shown !== undefined && { html: shown }),
      hasMore: hasMore || safe?.isCut === true,
      ...(webSafe && { webSafe }),
    },
    maxJsonBytes,
  )
}

/**
 * Maximum number of bytes of plain text that are returned for a message whose texts exceed the
 * limits of reading.
 */
const maxDegradedBytes = 65_536

/**
 * Returns only the beginning of a message's plain text, as the reduced result for a message that
 * exceeds the limits. Its HTML is left out.
 */
export function readPlainStart({ plain, wantsPlain, webSafe }: EncodedTexts): ReadText {
  let remainingBytes = maxDegradedBytes
  const parts = plain.map(({ bytes, charset }) => {
    const start = bytes.subarray(0, remainingBytes)
    remainingBytes -= start.length
    return { bytes: start, charset, isTruncated: true }
  })
  const text = join(parts.filter(({ bytes }) => bytes.length > 0))
  return {
    ...(wantsPlain && text !== undefined && { plain: text }),
    ...(webSafe && { html: toHtml(text ?? ''), webSafe }),
    hasMore: true,
  }
}

/**
 * Joins the text parts of a message that have one kind (plain or HTML). Undefined if the message
 * has no part of this kind.
 */
function join(parts: readonly EncodedText[]): string | undefined {
  return parts.length > 0 ? parts.map(decode).join('\n') : undefined
}

function decode({ bytes, charset, isTruncated }: EncodedText): string {
  const text = unixLines(decodeText(bytes, charset))
  // The last character of a truncated text part of a message may be incomplete and is then removed.
  return isTruncated ? text.replace(/\uFFFD{1,4}$/, '') : text
}

/**
 * Number of characters of a message's text whose lines are processed together. The lines need 20
 * times the memory of the characters.
 */
const pieceLength = 65_536

function unixLines(text: string): string {
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    let end = at + pieceLength
    if (text.charAt(end - 1) === '\r') end += 1
    pieces.push(text.slice(at, end).split('\r\n').join('\n'))
    at = end
  }
  return pieces.join('')
}

/**
 * Maximum number of characters of a message's plain text that are shown as HTML. Equal to the limit
 * of `safeHtml`.
 */
const maxHtml = 2 * 1024 * 1024

function toHtml(plain: string): string {
  return `<p>${escapeHtml(plain.slice(0, maxHtml)).replaceAll('\n', '<br>\n')}</p>`
}

/**
 * Cuts the longer of the two texts of a message in half until the JSON is small enough. In JSON, a
 * control character takes six bytes.
 */
export function truncateToFit(text: ReadText, maxBytes: number): ReadText {
  let fitting = text
  while (!fits(fitting, maxBytes)) {
    const { plain = '', html = '' } = fitting
    const longer = html.length > plain.length ? 'html' : 'plain'
    const half = Math.max(plain.length, html.length) / 2
    const truncated = (longer === 'html' ? html : plain).slice(0, half)
    fitting = { ...fitting, [longer]: truncated.replace(/[\uD800-\uDBFF]$/, ''), hasMore: true }
  }
  return fitting
}

/**
 * Number of characters of a message's text that are converted to JSON at a time, to limit the
 * memory.
 */
const jsonPieceLength = 1024 * 1024

/** True if the plain text and the HTML of a message together take at most `maxBytes` in JSON. */
export function fits({ plain = '', html = '' }: Partial<ReadText>, maxBytes: number): boolean {
  // A character takes at most six bytes in JSON. For most texts, this bound is sufficient and
  // nothing needs to be counted.
  if ((plain.length + html.length) * 6 <= maxBytes) return true
  let bytes = 0
  for (const text of [plain, html])
    for (let at = 0; at < text.length && bytes <= maxBytes; at += jsonPieceLength)
      bytes += Buffer.byteLength(JSON.stringify(text.slice(at, at + jsonPieceLength)))
  return bytes <= maxBytes
}

/**
 * Maximum number of characters of a message that are summarized. The beginning of a message is
 * sufficient for a summary.
 */
const maxSummarised = 20_000
/**
 * Maximum number of HTML characters from which text for a summary is extracted. Most of the HTML is
 * markup.
 */
const maxSummarisedHtml = 400_000

/**
 * Returns the text of a message from which a summary is made. If the plain text is empty, as with
 * some senders, the HTML is converted to text.
 */
export function readSummaryText({ plain = '', html = '' }: Partial<ReadText>): string {
  const text = plain.trim() === '' ? htmlToText(html.slice(0, maxSummarisedHtml)) : plain
  return text.trim().slice(0, maxSummarised).toWellFormed()
}
