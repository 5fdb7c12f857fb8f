import type { MailSession } from '@posthorn/backends'
import type { ReadPart } from '@posthorn/message-reader'

/** Connection with a selected mailbox, and the message reader of its account. */
export interface MessageSource<Method extends keyof MailSession = 'readParts'> {
  session: Pick<MailSession, Method>
  read: ReadPart
}

/**
 * Reads the first bytes of a message. The remaining bytes are read and dropped, to free the
 * connection.
 */
export async function readStart(
  session: Pick<MailSession, 'downloadSource'>,
  uid: number,
  maxBytes: number,
): Promise<Buffer> {
  const { content } = await session.downloadSource(uid)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of content) {
    if (length < maxBytes) chunks.push(chunk)
    length += chunk.length
  }
  return Buffer.concat(chunks)
}
