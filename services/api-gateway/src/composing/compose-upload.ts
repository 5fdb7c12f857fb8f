import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import type { MessageContent } from '@posthorn/contracts/schemas/content'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import type { MessageUpload } from '@posthorn/contracts/schemas/upload'
import { validationError } from '@posthorn/contracts/validate'
import type { ReadPart } from '@posthorn/message-reader'
import { type AttachedContent, applyReference } from '@posthorn/mime'
import { senderOf } from './compose-copy.ts'
import { type OwnerWithLanguage, referTo } from './references.ts'

/** Uploaded message with all data that it refers to. */
export interface ResolvedUpload {
  upload: MessageUpload
  owner: OwnerWithLanguage
  /** Message that the upload replies to or forwards; undefined if that message is missing. */
  original: MessageDetail | undefined
  /**
   * Function that parses message content for the account. Parses large content in a separate
   * process.
   */
  read: ReadPart
  attached: readonly AttachedContent[]
}

export interface ComposedUpload {
  mime: Buffer
  /** Message-ID of the upload; absent if a raw message has no Message-ID. */
  messageId?: string
}

/** Composes the bytes of an uploaded message to store. @throws AppError `invalid` with `fields` */
export async function composeUpload(resolved: ResolvedUpload): Promise<ComposedUpload> {
  const { upload, owner, original, attached, read } = resolved
  if (upload.raw !== undefined) return composeRaw(upload.raw, original, read)
  const { from, headers, messageId } = upload
  const { draft, references } = await referTo(upload, upload, { original, owner, read })
  const content: MessageContent = {
    ...draft,
    ...defined({ from, headers, messageId: messageId || undefined }),
  }
  const options = { from: senderOf(upload, owner), attached, references }
  // Bcc is kept in an uploaded message, because the message is not sent and only its writer reads
  // it.
  return read('compose', { content, options: { ...defined(options), keepBcc: true } })
}

/**
 * Normalizes line ends of an uploaded raw message. A reference to another message adds only headers
 * that the raw message does not have.
 */
async function composeRaw(
  raw: string,
  original: MessageDetail | undefined,
  read: ReadPart,
): Promise<ComposedUpload> {
  const bytes = Buffer.from(raw, 'base64')
  if (bytes.length === 0) throw validationError([fieldError('raw', 'must not be empty')])
  const { references } = original
    ? applyReference({}, original, { action: 'reply', inline: false, own: [] })
    : {}
  return read('upload', { bytes, ...defined({ references }) })
}
