import type { AttachmentInfo } from '@posthorn/contracts/schemas/message'
import type { Settings } from '@posthorn/contracts/settings/settings'

/** Upper limit of `notifyAttachmentSize`: the base64 of an attachment is held in memory. */
const maxAttachmentBytes = 25 * 1024 * 1024

/** Attachment of a new message. */
export interface AttachmentPart {
  info: AttachmentInfo
  /** Bytes, in transfer encoding or decoded. */
  size: number
}

/**
 * Attachments with their contents, if the settings request them. Interface spec, "Conditional
 * inclusion": attachments above the requested size are left out, except that `notifyAttachmentList`
 * lists all attachments. `readBytes` returns undefined for a missing part.
 */
export async function readContents<Part extends AttachmentPart>(
  parts: readonly Part[],
  settings: Settings,
  readBytes: (part: Part, maxBytes: number) => Promise<Uint8Array | undefined>,
): Promise<AttachmentInfo[] | undefined> {
  const { notifyAttachments, notifyAttachmentList, notifyAttachmentSize } = settings
  if (parts.length === 0) return undefined
  if (!notifyAttachments) return notifyAttachmentList ? parts.map(({ info }) => info) : undefined
  const maxBytes = Math.min(notifyAttachmentSize ?? maxAttachmentBytes, maxAttachmentBytes)
  const result: AttachmentInfo[] = []
  let remainingBytes = maxAttachmentBytes
  for (const part of parts) {
    const limit = Math.min(maxBytes, remainingBytes)
    const content = await readContent(part, limit, readBytes)
    const isSkipped = content === 'too large' && maxBytes <= remainingBytes
    if (isSkipped && !notifyAttachmentList) continue
    if (content === undefined || content === 'too large') result.push(part.info)
    else {
      remainingBytes -= content.length
      result.push({ ...part.info, content: Buffer.from(content).toString('base64') })
    }
  }
  return result
}

async function readContent<Part extends AttachmentPart>(
  part: Part,
  maxBytes: number,
  readBytes: (part: Part, maxBytes: number) => Promise<Uint8Array | undefined>,
): Promise<Uint8Array | 'too large' | undefined> {
  // Base64 adds a third and line ends: much larger parts need no fetch.
  if (part.size > maxBytes * 1.5 + 1024) return 'too large'
  const bytes = await readBytes(part, maxBytes + 1)
  return bytes && bytes.length > maxBytes ? 'too large' : bytes
}
