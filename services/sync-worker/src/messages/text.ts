import type { MailSession } from '@posthorn/backends'
import { decodeText, safeHtml } from '@posthorn/mime'
import type { Outline, TextPart } from './body.ts'

export interface TextWish {
  plain: boolean
  html: boolean
  /** Bytes of each kind at most, after decoding of the transfer encoding; all where it is absent. */
  maxBytes: number
  /** HTML that can be shown inside a page, made of the plain text where there is none. */
  webSafe: boolean
}

export interface ReadText {
  plain?: string
  html?: string
  hasMore: boolean
  webSafe?: boolean
}

/** What is read where no limit is asked for. */
export const maxTextBytes = 16 * 1024 * 1024
/** A message of a thousand texts is somebody's joke. */
const maxTextParts = 20

/** Downloads the texts of a message. Several of a kind are joined. */
export async function readText(
  session: MailSession,
  { uid, outline }: { uid: number; outline: Outline },
  { maxBytes, ...wish }: TextWish,
): Promise<ReadText> {
  const read = (parts: readonly TextPart[]) => readParts(session, { uid, parts, maxBytes })
  const plain = needsPlain(wish, outline) ? await read(outline.plain) : nothing
  const html = wish.html || wish.webSafe ? await read(outline.html) : nothing
  const shown = wish.webSafe ? safeHtml(html.text ?? htmlOf(plain.text ?? '')) : html.text
  return {
    ...(wish.plain && plain.text !== undefined ? { plain: plain.text } : {}),
    ...(shown === undefined ? {} : { html: shown }),
    hasMore: plain.cut || html.cut,
    ...(wish.webSafe ? { webSafe: true } : {}),
  }
}

function needsPlain(
  { plain, webSafe }: Pick<TextWish, 'plain' | 'webSafe'>,
  { html }: Outline,
): boolean {
  return plain || (webSafe && html.length === 0)
}

interface JoinedText {
  /** Undefined where the message has no text of the kind. */
  text: string | undefined
  cut: boolean
}

const nothing: JoinedText = { text: undefined, cut: false }

async function readParts(
  session: MailSession,
  { uid, parts, maxBytes }: { uid: number; parts: readonly TextPart[]; maxBytes: number },
): Promise<JoinedText> {
  if (parts.length === 0) return nothing
  let room = Math.min(maxBytes, maxTextBytes)
  let cut = parts.length > maxTextParts
  const texts: string[] = []
  for (const { part, charset } of parts.slice(0, maxTextParts)) {
    const bytes = await readBytes(session, { uid, part, maxBytes: room + 1 })
    const kept = bytes.subarray(0, room)
    cut ||= kept.length < bytes.length
    const text = decodeText(kept, charset).replaceAll('\r\n', '\n')
    // Where it was cut inside of a character, half of one is left.
    texts.push(kept.length < bytes.length ? text.replace(/\uFFFD+$/, '') : text)
    room -= kept.length
  }
  return { text: texts.join('\n'), cut }
}

/** One part, decoded from its transfer encoding, and no more than so many bytes of it. */
export async function readBytes(
  session: MailSession,
  { uid, part, maxBytes }: { uid: number; part: string; maxBytes: number },
): Promise<Buffer> {
  const { content } = await session.downloadPart(uid, part, { maxBytes })
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of content) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function htmlOf(plain: string): string {
  const escaped = plain.replace(/[&<>"]/g, (character) => escapes[character] ?? '')
  return `<p>${escaped.replaceAll('\n', '<br>\n')}</p>`
}
