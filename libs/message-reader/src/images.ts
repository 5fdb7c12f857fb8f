import { fits, type ReadText } from './texts.ts'

/**
 * Maximum number of image references that are replaced in the HTML of a message. Further references
 * stay unchanged.
 */
const maxReferences = 10_000

/**
 * Pattern for the URL of a MIME part (RFC 2392). The URL ends at the end of an HTML attribute or of
 * a CSS `url()`.
 */
const reference = /cid:([^"'\s<>()]{1,998})/g

interface ReferenceSearch {
  html: string
  /** Content ids of the images to look for in the HTML of a message, without angle brackets. */
  ids: readonly string[]
}

export interface EmbeddedImages extends Pick<ReadText, 'plain'> {
  html: string
  images: readonly { id: string; contentType: string; bytes: Uint8Array }[]
  /**
   * Maximum total bytes of the images that are embedded into the HTML of a message. An image counts
   * once per reference.
   */
  maxTotalBytes: number
  /**
   * Maximum JSON size of the message's texts. Images are left out if the texts with embedded images
   * exceed this size. Defaults to no maximum.
   */
  maxJsonBytes?: number
}

/**
 * Counts the image references in the HTML of a message, by content id. The content ids are in the
 * order of their first reference. Reads the HTML once.
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
 * Replaces `cid:` references in the HTML of a message with the images themselves. Every reference
 * gets a copy of the image. Pure function.
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
  // If the texts of a message with embedded images are too large, the images are left out: a
  // complete text is better than a truncated text with images.
  const isFitting = fits({ html: embedded, ...(plain !== undefined && { plain }) }, maxJsonBytes)
  return isFitting ? embedded : html
}

/** Reference to an image in the HTML of a message: its position and the content id. */
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
