import { defined } from '@posthorn/contracts/defined'
import { decodeText, decodeWords } from '@posthorn/mime'
import type { ApiAttachment, ApiTexts } from '../../mail-api/messages.ts'
import type { GmailMessagePart } from '../../provider-types/gmail.ts'
import { headersOf } from './headers.ts'

/**
 * MIME part of a Gmail message without inner parts, or a contained message, whose inner parts are
 * not read.
 */
export interface GmailPart {
  /** Part id of Gmail. Empty for the only part of a message. */
  partId: string
  /** Media type of the MIME part in lower case. */
  type: string
  filename?: string
  charset?: string
  contentId?: string
  /** True for a MIME part within a multipart/related. */
  related: boolean
  disposition?: string
  size?: number
  /**
   * Content of the MIME part as base64url. Absent if the content has to be requested with
   * `attachmentId`.
   */
  data?: string
  /** Attachment id of Gmail: valid for a short time, and different in each response. */
  attachmentId?: string
}

const maxDepth = 64
const maxParts = 1_000
const maxFilename = 1_000

/**
 * MIME parts of a Gmail message without inner parts (leaves), in order. Leaves beyond `maxDepth` or
 * `maxParts` are left out.
 */
export function readParts(payload: GmailMessagePart): GmailPart[] {
  const parts: GmailPart[] = []
  const visit = (part: GmailMessagePart, depth: number, related: boolean) => {
    const type = (typeof part.mimeType === 'string' && part.mimeType.toLowerCase()) || 'text/plain'
    if (!type.startsWith('multipart/')) {
      if (parts.length < maxParts) parts.push(toPart(part, type, related))
      return
    }
    if (depth === maxDepth || !Array.isArray(part.parts)) return
    for (const child of part.parts) visit(child, depth + 1, type === 'multipart/related')
  }
  visit(payload, 0, false)
  return parts
}

function toPart(part: GmailMessagePart, type: string, related: boolean): GmailPart {
  const headers = new Map(
    headersOf(part.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const { partId = '', filename, body: { size, data, attachmentId } = {} } = part
  return defined({
    partId: /^[\d.]{0,200}$/.test(partId) ? partId : '',
    type,
    filename: filename ? decodeWords(filename).slice(0, maxFilename) : undefined,
    ...partHeaders((name) => headers.get(name) ?? ''),
    related,
    size: typeof size === 'number' ? size : undefined,
    data: typeof data === 'string' ? data : undefined,
    attachmentId: typeof attachmentId === 'string' ? attachmentId : undefined,
  })
}

function partHeaders(header: (name: string) => string) {
  return {
    charset: /charset="?([^";\s]{1,60})/i.exec(header('content-type'))?.[1],
    contentId: header('content-id').trim().replace(/^<|>$/g, '') || undefined,
    disposition: header('content-disposition').split(';', 1)[0]?.trim().toLowerCase() || undefined,
  }
}

export function attachmentsOf(parts: readonly GmailPart[]): ApiAttachment[] {
  const html = parts.filter((part) => part.type === 'text/html' && isText(part)).map(textOfPart)
  return parts
    .filter((part) => !isText(part))
    .map(({ partId, type, size, filename, contentId, related }) =>
      defined({
        partId,
        contentType: type,
        size,
        filename,
        contentId,
        // A MIME part with a Content-ID counts as embedded if it is within a multipart/related or
        // if the HTML text refers to it. The disposition does not matter: sent files may be marked
        // as inline (googleworkspace/cli 589).
        embedded:
          contentId !== undefined &&
          (related || html.some((text) => text.includes(`cid:${contentId}`))),
      }),
    )
}

/** True for MIME parts that are shown as the text of the message. */
function isText({ type, filename, disposition }: GmailPart): boolean {
  const isShown = type === 'text/plain' || type === 'text/html'
  return isShown && filename === undefined && disposition !== 'attachment'
}

/** Text parts that Gmail sent without their content, because they are large. */
export function largeTexts(parts: readonly GmailPart[]): GmailPart[] {
  return parts.filter((part) => isText(part) && part.data === undefined && part.attachmentId)
}

/**
 * Texts of a Gmail message, plain and HTML. Several text parts of one type are joined with a line
 * end.
 */
export function textsOf(parts: readonly GmailPart[], maxBytes: number): ApiTexts {
  const join = (type: string) => {
    const texts = parts.filter((part) => part.type === type && isText(part)).map(textOfPart)
    return texts.length === 0 ? undefined : texts.join('\n')
  }
  const [plain, html] = [join('text/plain'), join('text/html')]
  const isCut = [plain, html].some((text) => Buffer.byteLength(text ?? '') > maxBytes)
  return defined({
    plain: plain === undefined ? undefined : cut(plain, maxBytes),
    html: html === undefined ? undefined : cut(html, maxBytes),
    hasMore: isCut ? (true as const) : undefined,
  })
}

/**
 * Text of a MIME part. Gmail converts some texts to UTF-8 and sends other texts in their own
 * charset. A text that is valid UTF-8 with non-ASCII characters counts as converted.
 */
function textOfPart({ data = '', charset }: GmailPart): string {
  const bytes = Buffer.from(data, 'base64url')
  const isAscii = bytes.every((byte) => byte < 0x80)
  const text = decodeText(bytes, isAscii || !isUtf8(bytes) ? charset : 'utf-8')
  return text.replaceAll('\0', '').toWellFormed()
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Beginning of a text with at most `maxBytes` bytes in UTF-8. Never cuts a character in two. */
function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  // In UTF-8, bytes of the form 10xxxxxx continue a character, so the cut moves before them.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
