import type { MailSession } from '@posthorn/backends'
import type { AttachedPart } from './body.ts'
import { readBytes } from './text.ts'

/** A picture beyond this stays a reference. */
const maxImageBytes = 2 * 1024 * 1024
const maxTotalBytes = 10 * 1024 * 1024

/** Puts the pictures that HTML refers to by `cid:` (RFC 2392) into it. */
export async function embedImages(
  session: MailSession,
  { uid, attachments }: { uid: number; attachments: readonly AttachedPart[] },
  html: string,
): Promise<string> {
  let result = html
  let room = maxTotalBytes
  for (const { part, contentType, contentId, size } of attachments) {
    if (contentId === undefined || !/^image\/[a-z0-9.+-]+$/.test(contentType)) continue
    const reference = `cid:${contentId.replace(/^<|>$/g, '')}`
    // Each mention becomes a copy of the picture: all of them count.
    const mentions = result.split(reference).length - 1
    if (mentions === 0 || size > maxImageBytes * 1.4 || size * mentions > room) continue
    const bytes = await readBytes(session, { uid, part, maxBytes: maxImageBytes + 1 })
    if (bytes.length > maxImageBytes) continue
    room -= bytes.length * mentions
    result = result.replaceAll(reference, `data:${contentType};base64,${bytes.toString('base64')}`)
  }
  return result
}
