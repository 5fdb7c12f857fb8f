import type { AttachedPart, Outline } from './outline.ts'
import type { MessageSource } from './source.ts'

/** Limit per image; a larger one stays a reference. */
const maxImageBytes = 2 * 1024 * 1024
/** Limits of all embedded images of a message in a response and in an event. */
export const maxEmbeddedBytes = { reading: 10 * 1024 * 1024, event: 2 * 1024 * 1024 }
const maxImages = 100

/** Texts of a message, and limits of the images in them and of the JSON size of all. */
interface TextsWithReferences {
  html: string
  plain?: string
  maxTotalBytes: number
  maxJsonBytes?: number
}

/** Replaces `cid:` references (RFC 2392) in HTML with the images. One round trip for all images. */
export async function embedImages(
  { session, read }: MessageSource,
  { uid, outline }: { uid: number; outline: Outline },
  texts: TextsWithReferences,
): Promise<string> {
  const { html, maxTotalBytes } = texts
  const parts = imagesById(outline)
  if (parts.size === 0 || !html.includes('cid:')) return html
  const counts = await read('references', { html, ids: [...parts.keys()] })
  const selected = selectImages(parts, counts, maxTotalBytes)
  if (selected.length === 0) return html
  const requests = selected.map(({ part }) => ({ part: part.part, maxBytes: maxImageBytes + 1 }))
  const contents = await session.readParts(uid, outline.structure, requests)
  const images = selected.flatMap(({ id, part }) => {
    const bytes = contents.get(part.part)
    if (!bytes || bytes.length > maxImageBytes) return []
    return [{ id, contentType: part.contentType, bytes }]
  })
  return read('images', { ...texts, images })
}

/** Images of a message by content id, without angle brackets. */
function imagesById({ attachments }: Outline): Map<string, AttachedPart> {
  const images = new Map<string, AttachedPart>()
  for (const part of attachments) {
    const id = part.contentId?.replace(/^<|>$/g, '')
    if (id === undefined || images.has(id) || !/^image\/[a-z0-9.+-]+$/.test(part.contentType))
      continue
    images.set(id, part)
  }
  return images
}

/** Images whose sizes in the structure fit the limit. Base64 takes up to 1.4 times the bytes. */
function selectImages(
  parts: ReadonlyMap<string, AttachedPart>,
  counts: ReadonlyMap<string, number>,
  maxTotalBytes: number,
): { id: string; part: AttachedPart }[] {
  let remainingBytes = maxTotalBytes * 1.4
  const images: { id: string; part: AttachedPart }[] = []
  for (const [id, count] of counts) {
    const part = parts.get(id)
    const bytes = (part?.size ?? 0) * count
    if (!part || part.size > maxImageBytes * 1.4 || bytes > remainingBytes) continue
    remainingBytes -= bytes
    images.push({ id, part })
    if (images.length === maxImages) break
  }
  return images
}
