import type { MailSession } from '@posthorn/backends'
import type { AttachedPart, Outline } from './outline.ts'

/** Limit per image; a larger one stays a reference. */
const maxImageBytes = 2 * 1024 * 1024
/** Limits of all embedded images of a message in a response and in an event. */
export const maxEmbeddedBytes = { reading: 10 * 1024 * 1024, event: 2 * 1024 * 1024 }
const maxImages = 100
/** Limit of references to images; later ones stay. */
const maxReferences = 10_000

/** URL of a part (RFC 2392) up to the end of an attribute or of a CSS `url()`. */
const reference = /cid:([^"'\s<>()]{1,998})/g

/** Place in the HTML that refers to an image. */
interface ImageReference {
  start: number
  end: number
  image: AttachedPart
}

/** Replaces `cid:` references (RFC 2392) in HTML with the images. One round trip for all images. */
export async function embedImages(
  session: Pick<MailSession, 'readParts'>,
  { uid, outline }: { uid: number; outline: Outline },
  { html, maxTotalBytes }: { html: string; maxTotalBytes: number },
): Promise<string> {
  const references = findReferences(html, outline)
  const images = selectImages(references, maxTotalBytes)
  if (images.length === 0) return html
  const parts = images.map(({ part }) => ({ part, maxBytes: maxImageBytes + 1 }))
  const contents = await session.readParts(uid, outline.structure, parts)
  const counts = countReferences(references)
  const urls = new Map<AttachedPart, string>()
  let remainingBytes = maxTotalBytes
  for (const image of images) {
    const bytes = contents.get(image.part)
    if (!bytes || bytes.length > maxImageBytes) continue
    const totalBytes = bytes.length * (counts.get(image) ?? 0)
    if (totalBytes > remainingBytes) continue
    remainingBytes -= totalBytes
    urls.set(image, `data:${image.contentType};base64,${bytes.toString('base64')}`)
  }
  return replaceReferences(html, references, urls)
}

/** References to images of the message, in order. Reads the HTML and the list of parts once. */
function findReferences(html: string, { attachments }: Outline): ImageReference[] {
  const images = new Map<string, AttachedPart>()
  for (const part of attachments) {
    const id = part.contentId?.replace(/^<|>$/g, '')
    if (id === undefined || images.has(id) || !/^image\/[a-z0-9.+-]+$/.test(part.contentType))
      continue
    images.set(id, part)
  }
  const references: ImageReference[] = []
  if (images.size === 0) return references
  for (const match of html.matchAll(reference)) {
    const image = images.get(match[1] ?? '')
    if (!image) continue
    references.push({ start: match.index, end: match.index + match[0].length, image })
    if (references.length === maxReferences) break
  }
  return references
}

/** Every reference becomes a copy of the image. */
function countReferences(references: readonly ImageReference[]): Map<AttachedPart, number> {
  const counts = new Map<AttachedPart, number>()
  for (const { image } of references) counts.set(image, (counts.get(image) ?? 0) + 1)
  return counts
}

/** Images whose sizes in the structure fit the limit. Base64 takes up to 1.4 times the bytes. */
function selectImages(
  references: readonly ImageReference[],
  maxTotalBytes: number,
): AttachedPart[] {
  let remainingBytes = maxTotalBytes * 1.4
  const images: AttachedPart[] = []
  for (const [image, count] of countReferences(references)) {
    const bytes = image.size * count
    if (image.size > maxImageBytes * 1.4 || bytes > remainingBytes) continue
    remainingBytes -= bytes
    images.push(image)
    if (images.length === maxImages) break
  }
  return images
}

function replaceReferences(
  html: string,
  references: readonly ImageReference[],
  urls: ReadonlyMap<AttachedPart, string>,
): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end, image } of references) {
    const url = urls.get(image)
    if (url === undefined) continue
    pieces.push(html.slice(at, start), url)
    at = end
  }
  return pieces.join('') + html.slice(at)
}
