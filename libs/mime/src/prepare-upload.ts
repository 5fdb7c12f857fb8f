import { defined } from '@posthorn/contracts/defined'
import { canonicalLines } from './canonical-lines.ts'
import type { ComposeOptions } from './compose.ts'
import { parseHeaders } from './headers.ts'

/** Complete message to store in a mailbox. */
export interface PreparedUpload {
  mime: Buffer
  /** Message-ID of the message. Absent if the message has no Message-ID. */
  messageId?: string
}

/**
 * Prepares a complete message for storing it in a mailbox: normalizes its line ends, and adds the
 * headers of a reference that the message does not have.
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
