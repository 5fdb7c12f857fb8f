import type { MailSession, WantedPart } from '@posthorn/backends'
import { decodeText, safeHtml } from '@posthorn/mime'
import type { Outline, TextPart } from './outline.ts'

export interface TextOptions {
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
  { maxBytes, ...options }: TextOptions,
): Promise<ReadText> {
  const limit = Math.min(maxBytes, maxTextBytes)
  const plain = new TextReader(needsPlain(options, outline) ? outline.plain : [], limit)
  const html = new TextReader(options.html || options.webSafe ? outline.html : [], limit)
  await readAll([plain, html], (wanted) => session.readParts(uid, outline.structure, wanted))
  return joinTexts(plain, html, options)
}

async function readAll(
  readers: readonly TextReader[],
  read: (wanted: WantedPart[]) => Promise<ReadonlyMap<string, Buffer>>,
): Promise<void> {
  for (;;) {
    const wanted = readers.flatMap((reader) => reader.nextParts())
    if (wanted.length === 0) return
    const parts = await read(wanted)
    for (const reader of readers) reader.addParts(parts)
  }
}

function joinTexts(
  plain: TextReader,
  html: TextReader,
  options: Omit<TextOptions, 'maxBytes'>,
): ReadText {
  const shown = options.webSafe ? safeHtml(html.text ?? toHtml(plain.text ?? '')) : html.text
  return {
    ...(options.plain && plain.text !== undefined ? { plain: plain.text } : {}),
    ...(shown === undefined ? {} : { html: shown }),
    hasMore: plain.truncated || html.truncated,
    ...(options.webSafe ? { webSafe: true } : {}),
  }
}

function needsPlain(
  { plain, webSafe }: Pick<TextOptions, 'plain' | 'webSafe'>,
  { html }: Outline,
): boolean {
  return plain || (webSafe && html.length === 0)
}

/** The texts of one kind, as far as there is room for them. */
class TextReader {
  /** Whether something was left out. */
  truncated: boolean
  readonly #parts: TextPart[]
  readonly #texts: string[] = []
  #remainingBytes: number
  #requested: TextPart[] = []

  constructor(parts: readonly TextPart[], room: number) {
    this.#parts = parts.slice(0, maxTextParts)
    this.truncated = parts.length > maxTextParts
    this.#remainingBytes = room
  }

  /** Undefined where the message has no text of the kind. */
  get text(): string | undefined {
    return this.#texts.length > 0 ? this.#texts.join('\n') : undefined
  }

  /** What to ask for next: the next part, and those after it that surely fit beside it. One byte more tells whether it was all. */
  nextParts(): WantedPart[] {
    let left = this.#remainingBytes
    const fits = (part: TextPart, at: number) => (left -= part.size) >= 0 || at === 0
    const end = this.#parts.findIndex((part, at) => !fits(part, at))
    this.#requested = this.#parts.splice(0, end === -1 ? this.#parts.length : end)
    return this.#requested.map(({ part }) => ({ part, maxBytes: this.#remainingBytes + 1 }))
  }

  addParts(parts: ReadonlyMap<string, Buffer>): void {
    for (const { part, charset } of this.#requested) {
      const bytes = parts.get(part) ?? Buffer.alloc(0)
      const kept = bytes.subarray(0, this.#remainingBytes)
      const isCut = kept.length < bytes.length
      const text = decodeText(kept, charset).replaceAll('\r\n', '\n')
      // Where it was cut inside of a character, half of one is left.
      this.#texts.push(isCut ? text.replace(/\uFFFD+$/, '') : text)
      this.truncated ||= isCut
      this.#remainingBytes -= kept.length
    }
    this.#requested = []
  }
}

/** One part, decoded from its transfer encoding, and no more than so many bytes of it. */
export async function readPart(
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

function toHtml(plain: string): string {
  const escaped = plain.replace(/[&<>"]/g, (character) => escapes[character] ?? '')
  return `<p>${escaped.replaceAll('\n', '<br>\n')}</p>`
}
