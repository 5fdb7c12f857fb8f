import type { MailSession, PartRequest } from '@posthorn/backends'
import { defined } from '@posthorn/contracts'
import { decodeText, escapeHtml, safeHtml } from '@posthorn/mime'
import { embedImages, maxEmbeddedBytes } from './embed-images.ts'
import type { Outline, TextPart } from './outline.ts'

/** Message whose parts are read. */
interface OutlinedMessage {
  uid: number
  outline: Outline
}

export interface TextOptions {
  plain: boolean
  html: boolean
  /** Maximum bytes per kind, after decoding of the transfer encoding. */
  maxBytes: number
  /** Sanitises the HTML for display in a page; converts the plain text if there is no HTML. */
  webSafe: boolean
}

/** Text options of a request. `webSafeHtml` implies both kinds of text and embedded images. */
export interface ReadOptions {
  textType?: 'plain' | 'html' | '*'
  maxBytes?: number
  webSafeHtml?: boolean
  embedAttachedImages?: boolean
}

export interface ReadText {
  plain?: string
  html?: string
  /** True if text was left out because of a limit. */
  hasMore: boolean
  webSafe?: boolean
}

/** Limit per kind of text if the request has none. */
export const maxTextBytes = 16 * 1024 * 1024
/** Maximum parts per kind that are read. */
const maxTextParts = 20
/** JSON size limit of both texts, because a reply is one bus message of at most 15 MiB. */
const maxJsonBytes = 12 * 1024 * 1024

/** Reads the requested texts of a message. Returns nothing if none is requested. */
export async function readRequestedText(
  session: Pick<MailSession, 'readParts'>,
  message: OutlinedMessage,
  { textType, webSafeHtml = false, maxBytes, embedAttachedImages = webSafeHtml }: ReadOptions,
): Promise<Partial<ReadText>> {
  const type = textType ?? (webSafeHtml ? '*' : undefined)
  if (!type) return {}
  const text = await readText(session, message, {
    plain: type !== 'html',
    html: type !== 'plain',
    webSafe: webSafeHtml,
    maxBytes: maxBytes ?? maxTextBytes,
  })
  const fitting = truncateToFit(text, maxJsonBytes)
  if (!embedAttachedImages || fitting.html === undefined) return fitting
  const html = await embedImages(session, message, {
    html: fitting.html,
    maxTotalBytes: maxEmbeddedBytes.reading,
  })
  // Complete text without images is preferred to truncated text with images.
  return jsonBytes({ ...fitting, html }) > maxJsonBytes ? fitting : { ...fitting, html }
}

/** Halves the longer text until the JSON fits. Control characters take six bytes each in JSON. */
export function truncateToFit(text: ReadText, maxBytes: number): ReadText {
  let fitting = text
  while (jsonBytes(fitting) > maxBytes) {
    const { plain = '', html = '' } = fitting
    const longer = html.length > plain.length ? 'html' : 'plain'
    const half = Math.max(plain.length, html.length) / 2
    const truncated = (longer === 'html' ? html : plain).slice(0, half)
    fitting = { ...fitting, [longer]: truncated.replace(/[\uD800-\uDBFF]$/, ''), hasMore: true }
  }
  return fitting
}

function jsonBytes({ plain = '', html = '' }: ReadText): number {
  // A character takes at most six bytes, so most texts need no exact count.
  const upperBound = (plain.length + html.length) * 6
  return upperBound <= maxJsonBytes ? upperBound : Buffer.byteLength(JSON.stringify([plain, html]))
}

/** Reads the texts of a message, in one round trip if the sizes are known. Joins parts per kind. */
export async function readText(
  session: Pick<MailSession, 'readParts'>,
  { uid, outline }: OutlinedMessage,
  { maxBytes, ...options }: TextOptions,
): Promise<ReadText> {
  const limit = Math.min(maxBytes, maxTextBytes)
  const needsPlain = options.plain || (options.webSafe && outline.html.length === 0)
  const plain = new TextReader(needsPlain ? outline.plain : [], limit)
  const html = new TextReader(options.html || options.webSafe ? outline.html : [], limit)
  for (;;) {
    const parts = [...plain.nextParts(), ...html.nextParts()]
    if (parts.length === 0) return joinTexts(plain, html, options)
    const contents = await session.readParts(uid, outline.structure, parts)
    for (const reader of [plain, html]) reader.addParts(contents)
  }
}

function joinTexts(
  plain: TextReader,
  html: TextReader,
  options: Omit<TextOptions, 'maxBytes'>,
): ReadText {
  return defined({
    plain: options.plain ? plain.text : undefined,
    html: options.webSafe ? safeHtml(html.text ?? toHtml(plain.text ?? '')) : html.text,
    hasMore: plain.truncated || html.truncated,
    webSafe: options.webSafe || undefined,
  })
}

function toHtml(plain: string): string {
  return `<p>${escapeHtml(plain).replaceAll('\n', '<br>\n')}</p>`
}

/** Reads the texts of one kind up to a byte limit. */
class TextReader {
  /** True if a part or the end of one was left out. */
  truncated: boolean
  readonly #parts: TextPart[]
  readonly #texts: string[] = []
  #remainingBytes: number
  #requested: TextPart[] = []

  constructor(parts: readonly TextPart[], maxBytes: number) {
    this.#parts = parts.slice(0, maxTextParts)
    this.truncated = parts.length > maxTextParts
    this.#remainingBytes = maxBytes
  }

  /** Undefined if the message has no text of the kind. */
  get text(): string | undefined {
    return this.#texts.length > 0 ? this.#texts.join('\n') : undefined
  }

  /**
   * Parts to read next: the first remaining one and those after it that certainly fit. Requests one
   * byte beyond the limit, which shows whether the part is complete.
   */
  nextParts(): PartRequest[] {
    let left = this.#remainingBytes
    const fits = (part: TextPart, at: number) => (left -= part.size) >= 0 || at === 0
    const end = this.#parts.findIndex((part, at) => !fits(part, at))
    this.#requested = this.#parts.splice(0, end === -1 ? this.#parts.length : end)
    return this.#requested.map(({ part }) => ({ part, maxBytes: this.#remainingBytes + 1 }))
  }

  addParts(contents: ReadonlyMap<string, Buffer>): void {
    for (const { part, charset } of this.#requested) {
      const bytes = contents.get(part) ?? Buffer.alloc(0)
      const limited = bytes.subarray(0, this.#remainingBytes)
      const isTruncated = limited.length < bytes.length
      const text = decodeText(limited, charset).replaceAll('\r\n', '\n')
      // Truncation may leave half a character at the end.
      this.#texts.push(isTruncated ? text.replace(/\uFFFD+$/, '') : text)
      this.truncated ||= isTruncated
      this.#remainingBytes -= limited.length
    }
    this.#requested = []
  }
}

/** Reads one part, decoded from its transfer encoding, up to `maxBytes`. */
export async function readPart(
  session: Pick<MailSession, 'downloadPart'>,
  { uid, part, maxBytes }: { uid: number; part: string; maxBytes: number },
): Promise<Buffer> {
  const { content } = await session.downloadPart(uid, part, { maxBytes })
  return Buffer.concat(await Array.fromAsync(content))
}
