import { getAttachment } from '@posthorn/contracts/commands/messages'
import { defined } from '@posthorn/contracts/defined'
import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import type { AttachmentSource } from '@posthorn/contracts/schemas/attachment'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { AppError } from '@posthorn/errors'
import type { AttachedContent } from '@posthorn/mime'
import { streamFromWorker, type WorkerCall, type WorkerDeps } from '../http/call-worker.ts'

/** Field errors of a message's attachments: each attachment needs either content or a reference. */
export function attachmentFields(attachments: readonly AttachmentSource[] = []): FieldError[] {
  return attachments.flatMap(({ content, reference }, at) => {
    if (content === undefined)
      return reference
        ? []
        : [fieldError(`attachments.${at}.content`, 'is required without a reference')]
    if (reference)
      return [fieldError(`attachments.${at}.reference`, 'is not allowed beside "content"')]
    return isEmpty(content) ? [fieldError(`attachments.${at}.content`, 'must not be empty')] : []
  })
}

/**
 * True for an attachment's Base64 text that decodes to no bytes, such as spaces, padding or a
 * single character.
 */
function isEmpty(content: string): boolean {
  return content.length < 1_000 && Buffer.from(content, 'base64').length === 0
}

/**
 * Attachments that a new message collects: attachments of the request, then of a forwarded message.
 */
export interface AttachmentSources {
  attachments?: readonly AttachmentSource[] | undefined
  forwarded?: MessageDetail['attachments']
  /** Maximum size of all attachments together that are read from the mailbox. */
  maxBytes: number
}

/**
 * Collects the attachments of a new message with their content. Stored attachments are read
 * sequentially from the mailbox. Names and types of the request override the stored names and
 * types.
 *
 * @throws AppError `too-large` if the stored attachments exceed `maxBytes`
 */
export async function collectAttachments(
  deps: WorkerDeps,
  call: WorkerCall,
  { attachments = [], forwarded = [], maxBytes }: AttachmentSources,
): Promise<AttachedContent[]> {
  let remainingBytes = maxBytes
  const readStored = async (attachment: string): Promise<AttachedContent> => {
    const request = { account: call.params.account, attachment }
    const { response, body } = await streamFromWorker(deps, call, [getAttachment, request])
    const content = await readBytes(body, remainingBytes, 'The attachments are too large')
    remainingBytes -= content.length
    return defined({ content, contentType: response.contentType, filename: response.filename })
  }
  const attached: AttachedContent[] = []
  for (const { content, reference, encoding: _base64, ...names } of attachments) {
    const stored = reference ? await readStored(reference) : undefined
    attached.push({ content: Buffer.from(content ?? '', 'base64'), ...stored, ...names })
  }
  for (const { id, contentId, inline } of forwarded) {
    const cid = contentId?.replace(/^<|>$/g, '') || undefined
    const contentDisposition = inline ? ('inline' as const) : ('attachment' as const)
    attached.push({ ...(await readStored(id)), ...defined({ cid }), contentDisposition })
  }
  return attached
}

/**
 * Reads the bytes of a stored attachment or draft into memory.
 * @throws AppError `too-large` beyond `maxBytes`
 */
export async function readBytes(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new AppError('too-large', tooLarge)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
