import { randomUUID } from 'node:crypto'
import {
  canonicalLines,
  type HeaderField,
  joinHead,
  parseHeaders,
  splitHead,
  fieldValue,
} from '@posthorn/mime'
import { type Controls, controlReader } from './control-headers.ts'
import { SmtpRejection } from './rejection.ts'

export interface PreparedMessage {
  /**
   * Bytes of the submitted message as they are sent: CRLF line ends, no Bcc, with Message-ID and
   * Date.
   */
  mime: Buffer
  /** Message-ID of the submitted message, with angle brackets. */
  messageId: string
  subject: string | null
  controls: Controls
}

interface PrepareOptions {
  /** Sender of the SMTP envelope. A generated Message-ID gets the domain of the sender. */
  from: string
  now?: Date
  /** Second prefix of the names of control headers (setting `webhooksHeaderAlias`). */
  headerAlias?: string
  /** True if the SMTP session has logged in. The alias of `X-SVC-Account` is then ignored. */
  hasLogin?: boolean
}

/**
 * Names of header fields that are removed from a submitted message. RFC 5322 §3.6.3 leaves Bcc to
 * the first server.
 */
const removed = new Set(['bcc', 'resent-bcc'])
const messageIdForm = /^<[^\s<>@]+@[^\s<>@]+>$/

/**
 * Prepares a submitted message for the outbox: adds missing header fields (RFC 6409 §8), removes
 * Bcc and control headers. All other bytes are unchanged, so that signatures stay valid.
 *
 * @throws SmtpRejection 552 for a header over 1 MiB, 554 for an invalid control header
 */
export function prepareMessage(
  message: Buffer,
  { from, now = new Date(), headerAlias, hasLogin = false }: PrepareOptions,
): PreparedMessage {
  const parsed = splitHead(canonicalLines(message))
  if (!parsed) throw new SmtpRejection('552 5.3.4', 'The header of the message is too large')
  const { fields, body } = parsed
  const { isControl, read } = controlReader(headerAlias, { hasLogin })
  const controls = read(
    fields.flatMap((field) =>
      isControl(field.name) ? [[field.name, fieldValue(field)] as const] : [],
    ),
  )
  const remaining = fields.filter(({ name }) => !removed.has(name) && !isControl(name))
  const head = remaining.map(({ line }) => line).join('\r\n')
  const headers = parseHeaders(Buffer.from(head, 'latin1'))
  const ownId = headers['message-id']?.find(
    (value) => messageIdForm.test(value) && value.length <= 996,
  )
  const messageId = ownId ?? newMessageId(from)
  // Removes an invalid Message-ID field, because readers would see this field instead of the
  // generated Message-ID.
  const unchanged =
    ownId === undefined ? remaining.filter(({ name }) => name !== 'message-id') : remaining
  const added = [
    ...(ownId === undefined ? [fieldOf('Message-ID', messageId)] : []),
    ...(headers['date'] ? [] : [fieldOf('Date', now.toUTCString().replace('GMT', '+0000'))]),
  ]
  return {
    mime: joinHead({ fields: [...added, ...unchanged], body }),
    messageId,
    subject: headers['subject']?.[0]?.slice(0, 10_240) ?? null,
    controls,
  }
}

function fieldOf(name: string, value: string): HeaderField {
  return { name: name.toLowerCase(), line: `${name}: ${value}` }
}

function newMessageId(from: string): string {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  return `<${randomUUID()}@${/^[A-Za-z0-9.-]+$/.test(domain) && from.includes('@') ? domain : 'localhost'}>`
}
