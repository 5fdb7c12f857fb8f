import { Refusal } from './refusal.ts'

const maxHeaderBytes = 1024 * 1024

/** The header fields as they stand, folded lines with them, and what follows the empty line. Latin-1 keeps each byte. */
export interface SplitMessage {
  fields: string[]
  body: Buffer
}

/**
 * Takes a message apart whose lines end in CRLF.
 *
 * @throws Refusal 552 for a header of more than a megabyte.
 */
export function splitMessage(message: Buffer): SplitMessage {
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

/** How a field begins: RFC 5322 §3.6.8, with the space before the colon that §4.5 lets stand. */
const fieldStart = /^[!-9;-~]+[ \t]*:/
/** Longer is no name of a field. */
const maxName = 1000

function cut(message: Buffer): { head: string; body: Buffer } {
  // RFC 5322 §3.5: a message may have a body and no header at all.
  if (message.subarray(0, 2).toString('latin1') === '\r\n')
    return { head: '', body: message.subarray(2) }
  // What begins with text is text: as a header, readers would not show it.
  if (!fieldStart.test(message.toString('latin1', 0, maxName))) return { head: '', body: message }
  const end = message.indexOf('\r\n\r\n')
  if ((end === -1 ? message.length : end) > maxHeaderBytes)
    throw new Refusal('552 5.3.4', 'The header of the message is too large')
  if (end === -1) return { head: message.toString('latin1'), body: Buffer.alloc(0) }
  return { head: message.toString('latin1', 0, end), body: message.subarray(end + 4) }
}

/** In lower case; empty where a line is no field. */
export function nameOf(field: string): string {
  return field
    .slice(0, Math.max(0, field.indexOf(':')))
    .trimEnd()
    .toLowerCase()
}

/** Unfolded (RFC 5322 §2.2.3), as UTF-8 (RFC 6532). */
export function valueOf(field: string): string {
  const raw = field.slice(field.indexOf(':') + 1).replaceAll('\r\n', '')
  return Buffer.from(raw, 'latin1').toString('utf8').trim()
}
