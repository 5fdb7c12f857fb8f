import {
  type ApiAttachment,
  type ApiDownload,
  isMailApiError,
  type MailApi,
} from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'
import { expectObjectFailure, type OnRefusal, type Refusal } from './refusals.ts'

/**
 * Reads the first `maxBytes` of an attachment. Undefined if the attachment is missing, is only a
 * link to a file elsewhere, or is refused by the provider.
 */
export type ReadAttachment = (
  part: Pick<ApiAttachment, 'partId'>,
  maxBytes: number,
) => Promise<Buffer | undefined>

/** Message whose contents are read for its event. The event may lack unreadable contents. */
export interface ContentSource {
  readonly api: Pick<MailApi, 'downloadSource' | 'downloadAttachment' | 'getMessage'>
  readonly id: string
  readonly onRefusal?: OnRefusal | undefined
  readonly signal: AbortSignal
}

/**
 * Maximum downloads of an attachment or message source if downloads are interrupted. Mail API
 * clients repeat only requests.
 */
const maxDownloads = 3

/** Creates the function that reads attachments of one message. */
export function attachmentReader(source: ContentSource): ReadAttachment {
  const { api, id, signal } = source
  return ({ partId }, maxBytes) => {
    const open = () => api.downloadAttachment({ id, partId }, signal)
    return readOptional(source, 'attachment', () => readDownload(open, maxBytes))
  }
}

/**
 * Reads the first `maxBytes` of a message. Undefined if the message was deleted in the meantime, or
 * if the provider refuses to return the message.
 */
export function readStart(source: ContentSource, maxBytes: number): Promise<Buffer | undefined> {
  const { api, id, signal } = source
  const open = () => api.downloadSource(id, signal)
  return readOptional(source, 'source', () => readDownload(open, maxBytes))
}

/**
 * Runs a read of an attachment or of a message's source. Undefined if the content is missing, or if
 * the provider refuses the content although it returns the message.
 *
 * @throws MailApiError if the failure concerns the whole mailbox
 */
async function readOptional<T>(
  { api, id, onRefusal, signal }: ContentSource,
  part: Refusal['part'],
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read()
  } catch (err) {
    signal.throwIfAborted()
    await expectObjectFailure(err, () => api.getMessage(id, {}, signal))
    if (!isAbsent(err)) onRefusal?.({ id, part, err })
    return undefined
  }
}

/** True if an error means that a content of a message does not exist, or is a link to a file. */
function isAbsent(error: unknown): boolean {
  const isMissing = error instanceof AppError && error.kind === 'not-found'
  return isMissing || isMailApiError(error, 'unsupported-operation')
}

async function readDownload(open: () => Promise<ApiDownload>, maxBytes: number): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    const download = await open()
    try {
      return await readBeginning(download, maxBytes)
    } catch (error) {
      if (!isMailApiError(error, 'unavailable') || attempt === maxDownloads) throw error
    }
  }
}

/** Reads the first `maxBytes` of an attachment or message download, then ends the download. */
async function readBeginning(
  { content }: Pick<ApiDownload, 'content'>,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of content) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}
