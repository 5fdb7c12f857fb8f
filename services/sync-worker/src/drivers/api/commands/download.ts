import type { ApiDownload } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { discard } from '@posthorn/flow'
import { checkApiMessageId, decodeApiAttachmentId } from '@posthorn/message-id'
import type { AccountRequest } from '../../account-driver.ts'
import type { ApiWork } from './api-command.ts'

/** Maximum bytes of one download (attachment or message source). A larger download is aborted. */
const maxDownloadBytes = 250 * 1024 * 1024

/** Streams the decoded bytes of an attachment, as fast as the consumer reads. */
export function getAttachment({
  attachment,
}: AccountRequest<'getAttachment'>): ApiWork<'getAttachment'> {
  const part = decodeApiAttachmentId(attachment)
  return async ({ api, signal }) => {
    const download = await api.downloadAttachment(part, signal)
    const { contentType, filename, size: encodedSize } = download
    return { response: defined({ contentType, filename, encodedSize }), body: limit(download) }
  }
}

/** Streams the source of a message, as fast as the consumer reads. */
export function getMessageSource({
  message,
}: AccountRequest<'getMessageSource'>): ApiWork<'getMessageSource'> {
  const id = checkApiMessageId(message)
  return async ({ api, signal }) => {
    const download = await api.downloadSource(id, signal)
    return { response: defined({ size: download.size }), body: limit(download) }
  }
}

/**
 * Limits the size of a download.
 *
 * @throws AppError `too-large` if the size that the provider announces exceeds the limit
 */
function limit({ size = 0, content }: ApiDownload): AsyncIterable<Uint8Array> {
  if (size > maxDownloadBytes) {
    void discard(content)
    throw tooLarge()
  }
  return limitBytes(content)
}

/**
 * Limits the number of bytes in a download, because the size that the provider announced may be
 * wrong. The download ends when the caller stops iterating.
 */
async function* limitBytes(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of content) {
    length += chunk.length
    if (length > maxDownloadBytes) throw tooLarge()
    yield chunk
  }
}

function tooLarge(): AppError {
  return new AppError('too-large', 'Too large for one download')
}
