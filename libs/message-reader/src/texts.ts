import { decodeText, escapeHtml, htmlToText, safeHtml } from '@posthorn/mime'

/** Text part of a message, without its transfer encoding. */
export interface EncodedText {
  bytes: Uint8Array
  charset: string | undefined
  /** True if the end of the text part was not read. */
  isTruncated: boolean
}

export interface EncodedTexts {
  plain: readonly EncodedText[]
  html: readonly EncodedText[]
  /** True to return the plain text of the message. */
  wantsPlain: boolean
  /**
   * True to sanitise the HTML of the message for display in a page; the plain text is converted if
   * there is no HTML.
   */
  webSafe: boolean
  /** True if parts of the message's texts were left out. */
  hasMore: boolean
}

export interface ReadText {
  plain?: string
  html?: string
  /** True if text of the message was left out because of a limit. */
  hasMore: boolean
  webSafe?: boolean
}

/**
 * Maximum JSON size of both texts of a message, because a reply is one bus message of at most 15
 * MiB.
 */
export const maxJsonBytes = 12 * 1024 * 1024

/**
 * Joins the text parts of a message of each kind. Texts beyond the JSON size limit are halved.
 * Pure.
 */
export function readTexts({ plain, html, wantsPlain, webSafe, hasMore }: EncodedTexts): ReadText {
  const plainText = join(plain)
  const htmlText = join(html)
  const shown = webSafe ? safeHtml(htmlText ?? toHtml(plainText ?? '')) : htmlText
  return truncateToFit(
    {
      ...(wantsPlain && plainText !== undefined && { plain: plainText }),
      ...(shown !== undefined && { html: shown }),
      hasMore,
      ...(webSafe && { webSafe }),
    },
    maxJsonBytes,
  )
}

/** Maximum bytes of plain text that remain of a message beyond the limits of reading. */
const maxDegradedBytes = 65_536

/** Beginning of a message's plain text, in place of all texts. Without HTML of the message. */
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
 * Joined text parts of a kind (plain or HTML). Undefined if the message has no text of the kind.
 */
function join(parts: readonly EncodedText[]): string | undefined {
  return parts.length > 0 ? parts.map(decode).join('\n') : undefined
}

function decode({ bytes, charset, isTruncated }: EncodedText): string {
  const text = unixLines(decodeText(bytes, charset))
  // Truncation of a text part may leave half a character at the end.
  return isTruncated ? text.replace(/\uFFFD{1,4}$/, '') : text
}

/**
 * Length of a piece of a text. Lines of a piece are in memory together, which takes 20 times its
 * size.
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

/** Maximum characters of plain text that are shown as HTML, the limit of `safeHtml`. */
const maxHtml = 2 * 1024 * 1024

function toHtml(plain: string): string {
  return `<p>${escapeHtml(plain.slice(0, maxHtml)).replaceAll('\n', '<br>\n')}</p>`
}

/**
 * Halves the longer text of a message until the JSON fits. Control characters take six bytes each
 * in JSON.
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

/** Length of a piece of a text whose JSON is in memory. */
const jsonPieceLength = 1024 * 1024

/** True if both texts of a message together take at most `maxBytes` in JSON. */
export function fits({ plain = '', html = '' }: Partial<ReadText>, maxBytes: number): boolean {
  // A character of a text takes at most six bytes, so most texts need no exact count.
  if ((plain.length + html.length) * 6 <= maxBytes) return true
  let bytes = 0
  for (const text of [plain, html])
    for (let at = 0; at < text.length && bytes <= maxBytes; at += jsonPieceLength)
      bytes += Buffer.byteLength(JSON.stringify(text.slice(at, at + jsonPieceLength)))
  return bytes <= maxBytes
}

/** Maximum characters of the text for a summary; the beginning of a message suffices. */
const maxSummarised = 20_000
/** Maximum characters of the HTML for a summary, of which most is markup. */
const maxSummarisedHtml = 400_000

/**
 * Text of a message for a summary. Some senders leave the plain text empty: then converted HTML.
 */
export function readSummaryText({ plain = '', html = '' }: Partial<ReadText>): string {
  const text = plain.trim() === '' ? htmlToText(html.slice(0, maxSummarisedHtml)) : plain
  return text.trim().slice(0, maxSummarised).toWellFormed()
}
