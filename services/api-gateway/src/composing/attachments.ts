import {
  type AttachmentSource,
  defined,
  type FieldError,
  fieldError,
  getAttachment,
  type MessageDetail,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { AttachedContent } from '@posthorn/mime'
import { streamFromWorker, type WorkerCall, type WorkerDeps } from '../http/call-worker.ts'

/** Field errors of attachments: each has either a content or a reference. */
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

/** True for Base64 without a byte: spaces, padding, or a single character. */
function isEmpty(content: string): boolean {
  return content.length < 1_000 && Buffer.from(content, 'base64').length === 0
}

/** Collects attachments with their content. Stored ones are read sequentially from the mailbox. */
export class AttachmentCollector {
  readonly #deps: WorkerDeps
  readonly #call: WorkerCall
  #remainingBytes: number

  /** `maxBytes` limits the sum of all stored attachments. */
  constructor(deps: WorkerDeps, call: WorkerCall, maxBytes: number) {
    this.#deps = deps
    this.#call = call
    this.#remainingBytes = maxBytes
  }

  /** Attachments of a request. Its names and types override the stored ones. */
  async ofRequest(sources: readonly AttachmentSource[]): Promise<AttachedContent[]> {
    const attached: AttachedContent[] = []
    for (const { content, reference, encoding: _base64, ...names } of sources)
      attached.push(
        reference
          ? { ...(await this.#readStored(reference)), ...names }
          : { ...names, content: Buffer.from(content ?? '', 'base64') },
      )
    return attached
  }

  /** Attachments of a stored message, unchanged. */
  async ofMessage({
    attachments = [],
  }: Pick<MessageDetail, 'attachments'>): Promise<AttachedContent[]> {
    const attached: AttachedContent[] = []
    for (const { id, contentId, inline } of attachments) {
      const cid = contentId?.replace(/^<|>$/g, '')
      attached.push({
        ...(await this.#readStored(id)),
        ...(cid ? { cid } : {}),
        contentDisposition: inline ? 'inline' : 'attachment',
      })
    }
    return attached
  }

  async #readStored(attachment: string): Promise<AttachedContent> {
    const { account } = this.#call.params
    const request = { account, attachment }
    const streamed = await streamFromWorker(this.#deps, this.#call, [getAttachment, request])
    const content = await readBytes(
      streamed.body,
      this.#remainingBytes,
      'The attachments are too large',
    )
    this.#remainingBytes -= content.length
    const { contentType, filename } = streamed.response
    return defined({ content, contentType, filename })
  }
}

/** Reads a stream into memory. @throws AppError `too-large` beyond `maxBytes` */
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
