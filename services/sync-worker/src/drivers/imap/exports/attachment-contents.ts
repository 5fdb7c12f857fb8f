import type { FetchedMessage, MailSession } from '@posthorn/backends'
import { type ExportContent, maxAttachmentBytes, tooLargeText } from '../../export-driver.ts'
import type { AttachedPart, Outline } from '../messages/outline.ts'

/** Maximum encoded size of an attachment that an export reads together with other attachments. */
export const maxSmallBytes = 128 * 1024
/** Encoded size above which an attachment is certainly larger than 50 MiB after decoding. */
const maxEncodedBytes = Math.ceil(maxAttachmentBytes * 1.4)
/** Maximum encoded size of all attachments of one message that are read together. */
export const maxTogetherBytes = 4 * 1024 * 1024

/**
 * Selects the small attachments of a message, which an export reads before it writes the message.
 * Other attachments are read while the message is written. Pure.
 */
export function smallAttachments<A extends Pick<AttachedPart, 'size'>>(
  attachments: readonly A[],
): A[] {
  let left = maxTogetherBytes
  return attachments.filter(({ size }) => size <= maxSmallBytes && (left -= size) >= 0)
}

/**
 * Reads the small attachments of an exported message. Other attachments are read by `open` while
 * the message is written.
 */
export async function readContents(
  session: Pick<MailSession, 'readParts'>,
  { message, outline }: { message: FetchedMessage; outline: Outline },
  open: (part: string) => Promise<AsyncIterable<Uint8Array>>,
): Promise<ExportContent[]> {
  const { uid, bodyStructure } = message
  const wanted = smallAttachments(outline.attachments).map(({ part }) => ({
    part,
    maxBytes: maxSmallBytes,
  }))
  const contents =
    wanted.length > 0 ? await session.readParts(uid, bodyStructure, wanted) : new Map()
  return outline.attachments.map(({ part, size }): ExportContent => {
    const bytes = contents.get(part)
    // An attachment of which the maximum number of bytes was returned may be longer.
    if (bytes && bytes.length < maxSmallBytes) return { bytes }
    if (size > maxEncodedBytes) return { error: tooLargeText }
    return { open: () => open(part) }
  })
}
