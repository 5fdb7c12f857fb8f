import { randomUUID } from 'node:crypto'
import { canonicalLines, parseHeaders } from '@posthorn/mime'
import { Refusal } from './refusal.ts'

export interface PreparedMessage {
  /** The bytes to send: lines ended by CRLF, no Bcc, with Message-ID and Date. */
  mime: Buffer
  /** With its angle brackets. */
  messageId: string
  subject: string | null
}

export interface PrepareOptions {
  /** The envelope's sender: a Message-ID that has to be made gets its domain. */
  from: string
  now?: Date
}

/** What a client says for our ears only; RFC 5322 §3.6.3 leaves Bcc to the first server. */
const removed = new Set(['bcc', 'resent-bcc'])
const maxHeaderBytes = 1024 * 1024
const messageIdForm = /^<[^\s<>@]+@[^\s<>@]+>$/

/**
 * Makes a submitted message ready for the outbox (RFC 6409 §8: a submission server may add what is missing). The client's bytes are
 * kept otherwise, so that its signatures stay good.
 *
 * @throws Refusal 552 for a header of more than a megabyte.
 */
export function prepareMessage(
  message: Buffer,
  { from, now = new Date() }: PrepareOptions,
): PreparedMessage {
  const { fields, body } = split(canonicalLines(message))
  const kept = fields.filter((field) => !removed.has(nameOf(field)))
  const headers = parseHeaders(Buffer.from(kept.join('\r\n'), 'latin1'))
  const given = headers['message-id']?.find(
    (value) => messageIdForm.test(value) && value.length <= 996,
  )
  const messageId = given ?? newMessageId(from)
  // A Message-ID that is none would hide ours from those who look for it.
  const signed = given === undefined ? kept.filter((field) => nameOf(field) !== 'message-id') : kept
  const added = [
    ...(given === undefined ? [`Message-ID: ${messageId}`] : []),
    ...(headers['date'] ? [] : [`Date: ${now.toUTCString().replace('GMT', '+0000')}`]),
  ]
  const head = [...added, ...signed].map((field) => `${field}\r\n`).join('')
  return {
    mime: Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from('\r\n'), body]),
    messageId,
    subject: headers['subject']?.[0]?.slice(0, 10_240) ?? null,
  }
}

/** The header fields as they stand, folded lines with them, and what follows the empty line. Latin-1 keeps each byte. */
function split(message: Buffer): { fields: string[]; body: Buffer } {
  const { head, body } = cut(message)
  const fields: string[] = []
  for (const line of head.split('\r\n')) {
    if (line === '') continue
    const last = fields.length - 1
    if (/^[ \t]/.test(line) && last >= 0) fields[last] += `\r\n${line}`
    else fields.push(line)
  }
  return { fields, body }
}

function cut(message: Buffer): { head: string; body: Buffer } {
  // RFC 5322 §3.5: a message may have a body and no header at all.
  if (message.subarray(0, 2).toString('latin1') === '\r\n')
    return { head: '', body: message.subarray(2) }
  const end = message.indexOf('\r\n\r\n')
  if ((end === -1 ? message.length : end) > maxHeaderBytes)
    throw new Refusal(552, 'The header of the message is too large')
  if (end === -1) return { head: message.toString('latin1'), body: Buffer.alloc(0) }
  return { head: message.toString('latin1', 0, end), body: message.subarray(end + 4) }
}

function nameOf(field: string): string {
  return field
    .slice(0, Math.max(0, field.indexOf(':')))
    .trimEnd()
    .toLowerCase()
}

function newMessageId(from: string): string {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  return `<${randomUUID()}@${/^[A-Za-z0-9.-]+$/.test(domain) && from.includes('@') ? domain : 'localhost'}>`
}
