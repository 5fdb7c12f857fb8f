import { defined } from '@posthorn/contracts/defined'
import { canonicalLines } from './canonical-lines.ts'
import type { ComposeOptions } from './compose.ts'
import { parseHeaders } from './headers.ts'

/** Complete message that is ready to be stored in a mailbox. */
export interface PreparedUpload {
  mime: Buffer
  /** Message-ID of the message to store. Absent if the message contains no Message-ID. */
  messageId?: string
}

/**
 * Prepares a complete message for storing it in a mailbox. Makes all lines end with CRLF. If the
 * message replies to another message, adds the headers In-Reply-To and References unless it already
 * has them.
 */
export function prepareUpload(
  bytes: Buffer,
  references?: ComposeOptions['references'],
): PreparedUpload {
  const message = canonicalLines(bytes)
  const headers = parseHeaders(message)
  const added = references
    ? [
        ['In-Reply-To', references.inReplyTo],
        ['References', references.references.join('\r\n ')],
      ].filter(([name = '']) => headers[name.toLowerCase()] === undefined)
    : []
  const head = added.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const mime = head === '' ? message : Buffer.concat([Buffer.from(head), message])
  return defined({ mime, messageId: headers['message-id']?.[0] })
}
