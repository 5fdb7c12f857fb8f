import { fits, type ReadText } from './texts.ts'

/**
 * Maximum number of references to images in the HTML of a message that are replaced; later
 * references stay.
 */
const maxReferences = 10_000

/** URL of a MIME part (RFC 2392) up to the end of an HTML attribute or of a CSS `url()`. */
const reference = /cid:([^"'\s<>()]{1,998})/g

interface ReferenceSearch {
  html: string
  /** Content ids of the images without angle brackets. */
  ids: readonly string[]
}

export interface EmbeddedImages extends Pick<ReadText, 'plain'> {
  html: string
  images: readonly { id: string; contentType: string; bytes: Uint8Array }[]
  /** Maximum bytes of all copies of the images in the HTML. */
  maxTotalBytes: number
  /**
   * Maximum JSON size of the message's texts. Images are left out if the texts with images exceed
   * the limit. Default: no limit.
   */
  maxJsonBytes?: number
}

/**
 * Number of references in the HTML per content id, in the order of each id's first reference. Reads
 * the HTML once.
 */
export function countReferences({ html, ids }: ReferenceSearch): Map<string, number> {
  return countById(findReferences(html, new Set(ids)))
}

function countById(references: readonly ImageReference[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { id } of references) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/**
 * Replaces `cid:` references in the HTML of a message with the images. Every reference becomes a
 * copy. Pure.
 */
export function embedImages(texts: EmbeddedImages): string {
  const { html, plain, images, maxTotalBytes, maxJsonBytes = Infinity } = texts
  const references = findReferences(html, new Set(images.map(({ id }) => id)))
  const counts = countById(references)
  const urls = new Map<string, string>()
  let remainingBytes = maxTotalBytes
  for (const { id, contentType, bytes } of images) {
    const totalBytes = bytes.length * (counts.get(id) ?? 0)
    if (totalBytes > remainingBytes) continue
    remainingBytes -= totalBytes
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    urls.set(id, `data:${contentType};base64,${content.toString('base64')}`)
  }
  const embedded = replaceReferences(html, references, urls)
  // Complete text of a message without images is preferred to truncated text with images.
  const isFitting = fits({ html: embedded, ...(plain !== undefined && { plain }) }, maxJsonBytes)
  return isFitting ? embedded : html
}

/** Place in the HTML that refers to an image. */
interface ImageReference {
  start: number
  end: number
  id: string
}

function findReferences(html: string, ids: ReadonlySet<string>): ImageReference[] {
  const references: ImageReference[] = []
  if (ids.size === 0) return references
  for (const { 0: url, 1: id = '', index } of html.matchAll(reference)) {
    if (!ids.has(id)) continue
    references.push({ start: index, end: index + url.length, id })
    if (references.length === maxReferences) break
  }
  return references
}

function replaceReferences(
  html: string,
  references: readonly ImageReference[],
  urls: ReadonlyMap<string, string>,
): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end, id } of references) {
    const url = urls.get(id)
    if (url === undefined) continue
    pieces.push(html.slice(at, start), url)
    at = end
  }
  return pieces.join('') + html.slice(at)
}
