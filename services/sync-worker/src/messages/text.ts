import type { MailSession, WantedPart } from '@posthorn/backends'
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

/** Reads the texts of a message, all of them in one round trip where their sizes are known. Several of a kind are joined. */
export async function readText(
  session: Pick<MailSession, 'readParts'>,
  { uid, outline }: { uid: number; outline: Outline },
  { maxBytes, ...wish }: TextWish,
): Promise<ReadText> {
  const limit = Math.min(maxBytes, maxTextBytes)
  const plain = new TextReader(needsPlain(wish, outline) ? outline.plain : [], limit)
  const html = new TextReader(wish.html || wish.webSafe ? outline.html : [], limit)
  await readAll([plain, html], (wanted) => session.readParts(uid, outline.structure, wanted))
  return joined(plain, html, wish)
}

async function readAll(
  readers: readonly TextReader[],
  read: (wanted: WantedPart[]) => Promise<ReadonlyMap<string, Buffer>>,
): Promise<void> {
  for (;;) {
    const wanted = readers.flatMap((reader) => reader.wanted())
    if (wanted.length === 0) return
    const parts = await read(wanted)
    for (const reader of readers) reader.take(parts)
  }
}

function joined(plain: TextReader, html: TextReader, wish: Omit<TextWish, 'maxBytes'>): ReadText {
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

/** The texts of one kind, as far as there is room for them. */
class TextReader {
  /** Whether something was left out. */
  cut: boolean
  readonly #parts: TextPart[]
  readonly #texts: string[] = []
  #room: number
  #asked: TextPart[] = []

  constructor(parts: readonly TextPart[], room: number) {
    this.#parts = parts.slice(0, maxTextParts)
    this.cut = parts.length > maxTextParts
    this.#room = room
  }

  /** Undefined where the message has no text of the kind. */
  get text(): string | undefined {
    return this.#texts.length > 0 ? this.#texts.join('\n') : undefined
  }

  /** What to ask for next: the next part, and those after it that surely fit beside it. One byte more tells whether it was all. */
  wanted(): WantedPart[] {
    let left = this.#room
    const fits = (part: TextPart, at: number) => (left -= part.size) >= 0 || at === 0
    const end = this.#parts.findIndex((part, at) => !fits(part, at))
    this.#asked = this.#parts.splice(0, end === -1 ? this.#parts.length : end)
    return this.#asked.map(({ part }) => ({ part, maxBytes: this.#room + 1 }))
  }

  take(parts: ReadonlyMap<string, Buffer>): void {
    for (const { part, charset } of this.#asked) {
      const bytes = parts.get(part) ?? Buffer.alloc(0)
      const kept = bytes.subarray(0, this.#room)
      const isCut = kept.length < bytes.length
      const text = decodeText(kept, charset).replaceAll('\r\n', '\n')
      // Where it was cut inside of a character, half of one is left.
      this.#texts.push(isCut ? text.replace(/\uFFFD+$/, '') : text)
      this.cut ||= isCut
      this.#room -= kept.length
    }
    this.#asked = []
  }
}

/** One part, decoded from its transfer encoding, and no more than so many bytes of it. */
export async function readBytes(
  session: Pick<MailSession, 'downloadPart'>,
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
