import type { ReadPart } from '@posthorn/message-reader'

/** Attachment that the HTML of a message may refer to. */
export interface ReferencedImage {
  contentType: string
  /** Bytes of the image, in transfer encoding or decoded. */
  size: number
  contentId?: string
}

/** Attachments of a message, and the function that reads attachments. */
export interface ImageSource<Image extends ReferencedImage> {
  read: ReadPart
  images: readonly Image[]
  /** Reads up to `maxBytes` of each image. Undefined for a missing image. */
  readImages: (
    images: readonly Image[],
    maxBytes: number,
  ) => Promise<readonly (Uint8Array | undefined)[]>
}

/** Maximum bytes per image embedded in a message's HTML. A larger image stays a reference. */
const maxImageBytes = 2 * 1024 * 1024
/** Limits of all embedded images of a message in a response and in an event. */
export const maxEmbeddedBytes = { reading: 10 * 1024 * 1024, event: 2 * 1024 * 1024 }
const maxImages = 100

/** Texts of a message, with limits of the embedded images and of the JSON size of all texts. */
export interface TextsWithReferences {
  html: string
  plain?: string
  maxTotalBytes: number
  maxJsonBytes?: number
}

/** Replaces `cid:` references (RFC 2392) in HTML with the images. */
export async function embedReferencedImages<Image extends ReferencedImage>(
  { read, images, readImages }: ImageSource<Image>,
  texts: TextsWithReferences,
): Promise<string> {
  const { html, maxTotalBytes } = texts
  const parts = imagesById(images)
  if (parts.size === 0 || !html.includes('cid:')) return html
  const counts = await read('references', { html, ids: [...parts.keys()] })
  const selected = selectImages(parts, counts, maxTotalBytes)
  if (selected.length === 0) return html
  const contents = await readImages(
    selected.map(({ part }) => part),
    maxImageBytes + 1,
  )
  const embedded = selected.flatMap(({ id, part }, at) => {
    const bytes = contents[at]
    if (!bytes || bytes.length > maxImageBytes) return []
    return [{ id, contentType: part.contentType, bytes }]
  })
  return read('images', { ...texts, images: embedded })
}

/** Images of a message by content id, without angle brackets. */
function imagesById<Image extends ReferencedImage>(parts: readonly Image[]): Map<string, Image> {
  const images = new Map<string, Image>()
  for (const part of parts) {
    const id = part.contentId?.replace(/^<|>$/g, '')
    if (id === undefined || images.has(id) || !/^image\/[a-z0-9.+-]+$/.test(part.contentType))
      continue
    images.set(id, part)
  }
  return images
}

/**
 * Selects the images of a message whose sizes in the structure fit the limit. Base64 takes up to
 * 1.4 times the bytes.
 */
function selectImages<Image extends ReferencedImage>(
  parts: ReadonlyMap<string, Image>,
  counts: ReadonlyMap<string, number>,
  maxTotalBytes: number,
): { id: string; part: Image }[] {
  let remainingBytes = maxTotalBytes * 1.4
  const images: { id: string; part: Image }[] = []
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
