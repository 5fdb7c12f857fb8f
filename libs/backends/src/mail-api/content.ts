import { type MessageContent, toBytes } from '@posthorn/mime'
import { MailApiError } from './errors.ts'

/**
 * Reads the whole content of a message into memory, for a mail API that takes a message in one
 * piece.
 *
 * @throws MailApiError `too-large`
 */
export async function bytesOf(content: MessageContent, maxBytes: number): Promise<Buffer> {
  if (content.length > maxBytes)
    throw new MailApiError('too-large', `The message exceeds ${maxBytes} bytes.`)
  return toBytes(content)
}
