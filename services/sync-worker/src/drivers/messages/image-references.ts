import type { ReadPart } from '@posthorn/message-reader'

/** Attachment to which the HTML of a message may refer by its content id. */
export interface ReferencedImage {
  contentType: string
  /** Size of the attached image in bytes, either in transfer encoding or decoded. */
  size: number
  contentId?: string
}

/** Images attached to a message, and the function that reads them. */
export interface ImageSource<Image extends ReferencedImage> {
  read: ReadPart
  images: readonly Image[]
  /** Reads the first `maxBytes` of each attached image. Undefined for a missing image. */
  readImages: (
    images: readonly Image[],
    maxBytes: number,
  ) => Promise<readonly (Uint8Array | undefined)[]>
}

/** Maximum bytes per image embedded in a message's HTML. A larger image stays a reference. */
const maxImageBytes = 2 * 1024 * 1024
/** Maximum bytes of all images embedded in a message, for responses (`reading`) and for events. */
export const maxEmbeddedBytes = { reading: 10 * 1024 * 1024, event: 2 * 1024 * 1024 }
const maxImages = 100

/**
 * HTML and plain text of a message, with limits in bytes: `maxTotalBytes` for all embedded images,
 * `maxJsonBytes` for the texts with images as JSON.
 */
export interface TextsWithReferences {
  html: string
  plain?: string
  maxTotalBytes: number
  maxJsonBytes?: number
}

/** Replaces the `cid:` references (RFC 2392) in the HTML of a message with images. */
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

/** Maps content ids without angle brackets to the images of a message. */
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
 * Selects images of a message until their sizes in the message structure reach the limit. In
 * base64, an image takes up to 1.4 times its bytes.
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
