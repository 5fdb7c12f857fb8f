import type { MailSession } from '@posthorn/backends'
import type { Outline } from './outline.ts'

/** A picture beyond this stays a reference. */
const maxImageBytes = 2 * 1024 * 1024
/** Of all pictures of a message that is read, and of one that an event tells of. */
export const maxEmbeddedBytes = { reading: 10 * 1024 * 1024, event: 2 * 1024 * 1024 }
const maxImages = 100

/** A picture that the HTML refers to. */
interface ReferencedImage {
  part: string
  contentType: string
  reference: string
  mentions: number
}

/** Puts the pictures that HTML refers to by `cid:` (RFC 2392) into it. They are read in one round trip. */
export async function embedImages(
  session: Pick<MailSession, 'readParts'>,
  { uid, outline }: { uid: number; outline: Outline },
  { html, maxTotalBytes }: { html: string; maxTotalBytes: number },
): Promise<string> {
  const images = findReferencedImages(html, outline, maxTotalBytes)
  if (images.length === 0) return html
  const wanted = images.map(({ part }) => ({ part, maxBytes: maxImageBytes + 1 }))
  const contents = await session.readParts(uid, outline.structure, wanted)
  let result = html
  let remainingBytes = maxTotalBytes
  for (const { part, contentType, reference, mentions } of images) {
    const bytes = contents.get(part)
    if (!bytes || bytes.length > maxImageBytes || bytes.length * mentions > remainingBytes) continue
    remainingBytes -= bytes.length * mentions
    result = result.replaceAll(
      reference,
      () => `data:${contentType};base64,${bytes.toString('base64')}`,
    )
  }
  return result
}

/** By the sizes that the structure tells, which have to add up to something bearable. */
function findReferencedImages(
  html: string,
  { attachments }: Outline,
  maxTotalBytes: number,
): ReferencedImage[] {
  let remainingBytes = maxTotalBytes * 1.4
  return attachments
    .flatMap(({ part, contentType, contentId, size }) => {
      if (contentId === undefined || !/^image\/[a-z0-9.+-]+$/.test(contentType)) return []
      const reference = `cid:${contentId.replace(/^<|>$/g, '')}`
      // Each mention becomes a copy of the picture: all of them count.
      const mentions = html.split(reference).length - 1
      if (mentions === 0 || size > maxImageBytes * 1.4 || size * mentions > remainingBytes)
        return []
      remainingBytes -= size * mentions
      return [{ part, contentType, reference, mentions }]
    })
    .slice(0, maxImages)
}
