import type { MailSession } from '@posthorn/backends'
import type { Outline } from './outline.ts'
import { embedImages, maxEmbeddedBytes } from './embed-images.ts'
import { maxTextBytes, type ReadText, readText } from './read-text.ts'

/** What readers ask for. `webSafeHtml` stands for both kinds of text, with their pictures. */
export interface ReadOptions {
  textType?: 'plain' | 'html' | '*'
  maxBytes?: number
  webSafeHtml?: boolean
  embedAttachedImages?: boolean
}

/**
 * What both texts of an answer may be in JSON: an answer is one message on the bus, which may have 15 MiB. Longer texts are cut.
 */
const maxJsonBytes = 12 * 1024 * 1024

/** The texts of a message as they were asked for; nothing where none was. */
export async function readRequestedText(
  mail: Pick<MailSession, 'readParts'>,
  message: { uid: number; outline: Outline },
  { textType, webSafeHtml = false, maxBytes, embedAttachedImages = webSafeHtml }: ReadOptions,
): Promise<Partial<ReadText>> {
  const type = textType ?? (webSafeHtml ? '*' : undefined)
  if (!type) return {}
  const read = await readText(mail, message, {
    plain: type !== 'html',
    html: type !== 'plain',
    webSafe: webSafeHtml,
    maxBytes: maxBytes ?? maxTextBytes,
  })
  const fitting = truncateToFit(read, maxJsonBytes)
  if (!embedAttachedImages || fitting.html === undefined) return fitting
  const html = await embedImages(mail, message, {
    html: fitting.html,
    maxTotalBytes: maxEmbeddedBytes.reading,
  })
  // Without its pictures rather than without its end.
  return jsonBytes({ ...fitting, html }) > maxJsonBytes ? fitting : { ...fitting, html }
}

/** Halves the longer text until both fit: text of many control characters is six times as long in JSON. */
export function truncateToFit(text: ReadText, maxBytes: number): ReadText {
  let fitting = text
  while (jsonBytes(fitting) > maxBytes) {
    const { plain = '', html = '' } = fitting
    const longer = html.length > plain.length ? 'html' : 'plain'
    const truncated = (longer === 'html' ? html : plain).slice(
      0,
      Math.max(plain.length, html.length) / 2,
    )
    fitting = { ...fitting, [longer]: truncated.replace(/[\uD800-\uDBFF]$/, ''), hasMore: true }
  }
  return fitting
}

function jsonBytes({ plain = '', html = '' }: ReadText): number {
  // Nothing is longer than six bytes a character: most texts need not be counted.
  const most = (plain.length + html.length) * 6
  return most <= maxJsonBytes ? most : Buffer.byteLength(JSON.stringify([plain, html]))
}
