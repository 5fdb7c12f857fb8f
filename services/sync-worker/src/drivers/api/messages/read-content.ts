import type { ApiAttachment, ApiDownload, MailApi } from '@posthorn/backends/mail-api'
import { undefinedIf } from '../../messages/undefined-if.ts'

/** Reads up to `maxBytes` of an attachment. Undefined if it is missing or elsewhere. */
export type ReadAttachment = (
  part: Pick<ApiAttachment, 'partId'>,
  maxBytes: number,
) => Promise<Buffer | undefined>

/** Reads the attachments of one message. */
export function attachmentReader(
  api: Pick<MailApi, 'downloadAttachment'>,
  id: string,
  signal: AbortSignal,
): ReadAttachment {
  return ({ partId }, maxBytes) => {
    const reading = api
      .downloadAttachment({ id, partId }, signal)
      .then((download) => readBeginning(download, maxBytes))
    return undefinedIf(reading, 'not-found', 'rejected', 'invalid')
  }
}

/** Reads the first bytes of a download and ends it. */
export async function readBeginning(
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
