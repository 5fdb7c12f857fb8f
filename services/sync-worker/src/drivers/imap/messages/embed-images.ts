import { embedReferencedImages, type TextsWithReferences } from '../../messages/image-references.ts'
import type { Outline } from './outline.ts'
import type { MessageSource } from './source.ts'

/** Replaces references in HTML with images. Takes one round trip for all images. */
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
