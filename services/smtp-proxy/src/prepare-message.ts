import { randomUUID } from 'node:crypto'
import {
  canonicalLines,
  type HeaderField,
  joinHead,
  parseHeaders,
  splitHead,
  fieldValue,
} from '@posthorn/mime'
import { type Controls, isControl, readControls } from './control-headers.ts'
import { Refusal } from './refusal.ts'

export interface PreparedMessage {
  /** The bytes to send: lines ended by CRLF, no Bcc, with Message-ID and Date. */
  mime: Buffer
  /** With its angle brackets. */
  messageId: string
  subject: string | null
  controls: Controls
}

export interface PrepareOptions {
  /** The envelope's sender: a Message-ID that has to be made gets its domain. */
  from: string
  now?: Date
}

/** What a client says for our ears only; RFC 5322 §3.6.3 leaves Bcc to the first server. */
const removed = new Set(['bcc', 'resent-bcc'])
const messageIdForm = /^<[^\s<>@]+@[^\s<>@]+>$/

/**
 * Makes a submitted message ready for the outbox (RFC 6409 §8: a submission server may add what is missing), and takes out what the client
 * says to us alone. Its bytes are kept otherwise, so that its signatures stay good.
 *
 * @throws Refusal 552 for a header of more than a megabyte, 554 for a control header that cannot be followed
 */
export function prepareMessage(
  message: Buffer,
  { from, now = new Date() }: PrepareOptions,
): PreparedMessage {
  const given = splitHead(canonicalLines(message))
  if (!given) throw new Refusal('552 5.3.4', 'The header of the message is too large')
  const { fields, body } = given
  const controls = readControls(
    fields.flatMap((field) =>
      isControl(field.name) ? [[field.name, fieldValue(field)] as const] : [],
    ),
  )
  const kept = fields.filter(({ name }) => !removed.has(name) && !isControl(name))
  const head = kept.map(({ line }) => line).join('\r\n')
  const headers = parseHeaders(Buffer.from(head, 'latin1'))
  const known = headers['message-id']?.find(
    (value) => messageIdForm.test(value) && value.length <= 996,
  )
  const messageId = known ?? newMessageId(from)
  // A Message-ID that is none would hide ours from those who look for it.
  const signed = known === undefined ? kept.filter(({ name }) => name !== 'message-id') : kept
  const added = [
    ...(known === undefined ? [fieldOf('Message-ID', messageId)] : []),
    ...(headers['date'] ? [] : [fieldOf('Date', now.toUTCString().replace('GMT', '+0000'))]),
  ]
  return {
    mime: joinHead({ fields: [...added, ...signed], body }),
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
