import { type AttachmentSource, getAttachment, type MessageDetail } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { AttachedContent } from '@posthorn/mime'
import { type WorkerDeps, type WorkerCall, streamFromWorker } from '../http/call-worker.ts'

/** Attachments with their content, however it is given. What is stored in the account already is read from there, one after the other. */
export class AttachmentCollector {
  readonly #deps: WorkerDeps
  readonly #asked: WorkerCall
  #room: number

  /** All that is read may have so many bytes together. */
  constructor(deps: WorkerDeps, asked: WorkerCall, maxBytes: number) {
    this.#deps = deps
    this.#asked = asked
    this.#room = maxBytes
  }

  /** Those of an upload. What it says of them wins over what is stored. */
  async ofUpload(sources: readonly AttachmentSource[]): Promise<AttachedContent[]> {
    const attached: AttachedContent[] = []
    for (const { content, reference, encoding: _base64, ...names } of sources)
      attached.push(
        reference
          ? { ...(await this.#stored(reference)), ...names }
          : { ...names, content: Buffer.from(content ?? '', 'base64') },
      )
    return attached
  }

  /** Those of a stored message, as they are there. */
  async ofMessage({
    attachments = [],
  }: Pick<MessageDetail, 'attachments'>): Promise<AttachedContent[]> {
    const attached: AttachedContent[] = []
    for (const { id, contentId, inline } of attachments) {
      const cid = contentId?.replace(/^<|>$/g, '')
      attached.push({
        ...(await this.#stored(id)),
        ...(cid ? { cid } : {}),
        contentDisposition: inline ? 'inline' : 'attachment',
      })
    }
    return attached
  }

  async #stored(attachment: string): Promise<AttachedContent> {
    const { account } = this.#asked.params
    const { response, body } = await streamFromWorker(this.#deps, this.#asked, [
      getAttachment,
      { account, attachment },
    ])
    const pieces: Uint8Array[] = []
    for await (const piece of body) {
      this.#room -= piece.length
      if (this.#room < 0) throw new AppError('too-large', 'The attachments are too large')
      pieces.push(piece)
    }
    const { contentType, filename } = response
    return {
      content: Buffer.concat(pieces),
      contentType,
      ...(filename === undefined ? {} : { filename }),
    }
  }
}
