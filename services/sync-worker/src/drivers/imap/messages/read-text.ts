import type { MailSession, PartRequest } from '@posthorn/backends'
import {
  type EncodedText,
  maxJsonBytes,
  type ReadPart,
  type ReadText,
} from '@posthorn/message-reader'
import {
  embedReferencedImages,
  maxEmbeddedBytes,
  type TextsWithReferences,
} from '../../messages/image-references.ts'
import type { TextKinds } from '../../messages/message-new.ts'
import type { Outline, TextPart } from './outline.ts'

/** Message whose text parts are read, with its outline. */
interface OutlinedMessage {
  uid: number
  outline: Outline
}

export interface TextOptions extends TextKinds {
  /** Maximum bytes of each text (plain or HTML) after decoding the transfer encoding. */
  maxBytes: number
}

/**
 * Text options of a request for a message. `webSafeHtml` implies both kinds of text and embedded
 * images.
 */
export interface ReadOptions {
  textType?: 'plain' | 'html' | '*'
  maxBytes?: number
  webSafeHtml?: boolean
  embedAttachedImages?: boolean
}

/** Maximum bytes of each text (plain or HTML) of a message if the request contains no limit. */
export const maxTextBytes = 16 * 1024 * 1024
/** Maximum MIME parts that are read for each text (plain or HTML) of a message. */
const maxTextParts = 20

/** Reads the requested texts of a message. Returns nothing if no text is requested. */
export async function readRequestedText(
  source: MessageSource,
  message: OutlinedMessage,
  { textType, webSafeHtml = false, maxBytes, embedAttachedImages = webSafeHtml }: ReadOptions,
): Promise<Partial<ReadText>> {
  const type = textType ?? (webSafeHtml ? '*' : undefined)
  if (!type) return {}
  const text = await readText(source, message, {
    plain: type !== 'html',
    html: type !== 'plain',
    webSafe: webSafeHtml,
    maxBytes: maxBytes ?? maxTextBytes,
  })
  const { plain, html } = text
  if (!embedAttachedImages || html === undefined) return text
  const limits = { maxTotalBytes: maxEmbeddedBytes.reading, maxJsonBytes }
  const texts = plain === undefined ? { html } : { plain, html }
  return { ...text, html: await embedImages(source, message, { ...texts, ...limits }) }
}

/**
 * Reads the plain text and the HTML of a message, in one round trip if the sizes of the parts are
 * known. Joins the parts of each text.
 */
export async function readText(
  { session, read }: MessageSource,
  { uid, outline }: OutlinedMessage,
  { maxBytes, ...options }: TextOptions,
): Promise<ReadText> {
  const limit = Math.min(maxBytes, maxTextBytes)
  const needsPlain = options.plain || (options.webSafe && outline.html.length === 0)
  const plain = new TextReader(needsPlain ? outline.plain : [], limit)
  const html = new TextReader(options.html || options.webSafe ? outline.html : [], limit)
  for (;;) {
    const parts = [...plain.nextParts(), ...html.nextParts()]
    if (parts.length === 0) break
    const contents = await session.readParts(uid, outline.structure, parts)
    for (const reader of [plain, html]) reader.addParts(contents)
  }
  return read('texts', {
    plain: plain.texts,
    html: html.texts,
    wantsPlain: options.plain,
    webSafe: options.webSafe,
    hasMore: plain.truncated || html.truncated,
  })
}

/** Reader of one text (plain or HTML) of a message, up to a limit in bytes. */
class TextReader {
  /**
   * True if a text part of the message, or the end of a text part, was left out because of the size
   * limit.
   */
  truncated: boolean
  readonly texts: EncodedText[] = []
  readonly #parts: TextPart[]
  #remainingBytes: number
  #requested: TextPart[] = []

  constructor(parts: readonly TextPart[], maxBytes: number) {
    this.#parts = parts.slice(0, maxTextParts)
    this.truncated = parts.length > maxTextParts
    this.#remainingBytes = maxBytes
  }

  /**
   * Selects the text parts to read next: the first remaining part, and further parts that certainly
   * fit into the size limit of the text. Requests one byte beyond the limit, to detect whether a
   * part is complete.
   */
  nextParts(): PartRequest[] {
    let left = this.#remainingBytes
    const fits = (part: TextPart, at: number) => (left -= part.size) >= 0 || at === 0
    const end = this.#parts.findIndex((part, at) => !fits(part, at))
    this.#requested = this.#parts.splice(0, end === -1 ? this.#parts.length : end)
    return this.#requested.map(({ part }) => ({ part, maxBytes: this.#remainingBytes + 1 }))
  }

  addParts(contents: ReadonlyMap<string, Buffer>): void {
    for (const { part, charset, size } of this.#requested) {
      const returned = contents.get(part)
      const bytes = returned ?? Buffer.alloc(0)
      const limited = bytes.subarray(0, this.#remainingBytes)
      // If the server does not return a text part of the message, the text counts as truncated, not
      // as empty.
      const isTruncated = limited.length < bytes.length || (!returned && size > 0)
      this.texts.push({ bytes: limited, charset, isTruncated })
      this.truncated ||= isTruncated
      this.#remainingBytes -= limited.length
    }
    this.#requested = []
  }
}

/** Reads the first `maxBytes` of a MIME part, decoded from its transfer encoding. */
export async function readPart(
  session: Pick<MailSession, 'downloadPart'>,
  { uid, part, maxBytes }: { uid: number; part: string; maxBytes: number },
): Promise<Buffer> {
  const { content } = await session.downloadPart(uid, part, { maxBytes })
  return Buffer.concat(await Array.fromAsync(content))
}

/** Replaces references in HTML with attached images. Takes one round trip for all images. */
export function embedImages(
  { session, read }: MessageSource,
  { uid, outline }: { uid: number; outline: Outline },
  texts: TextsWithReferences,
): Promise<string> {
  const source = {
    read,
    images: outline.attachments,
    async readImages(parts: readonly { part: string }[], maxBytes: number) {
      const requests = parts.map(({ part }) => ({ part, maxBytes }))
      const contents = await session.readParts(uid, outline.structure, requests)
      return parts.map(({ part }) => contents.get(part))
    },
  }
  return embedReferencedImages(source, texts)
}

/** Mail session with a selected mailbox, and the reader that parses its messages. */
export interface MessageSource<Method extends keyof MailSession = 'readParts'> {
  session: Pick<MailSession, Method>
  read: ReadPart
}

/**
 * Reads the first `maxBytes` of a message. Reads and drops the remaining bytes, so that the
 * connection can be used again.
 */
export async function readStart(
  session: Pick<MailSession, 'downloadSource'>,
  uid: number,
  maxBytes: number,
): Promise<Buffer> {
  const { content } = await session.downloadSource(uid)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of content) {
    if (length < maxBytes) chunks.push(chunk)
    length += chunk.length
  }
  return Buffer.concat(chunks)
}
