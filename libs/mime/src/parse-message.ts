import type { Readable } from 'node:stream'
import { defined } from '@posthorn/contracts/defined'
import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser'
import { htmlToText } from './html-to-text.ts'
import { parseHeaders } from './headers.ts'

export interface ParsedAddress {
  name: string
  address: string
}

interface ParsedAttachment {
  filename?: string
  contentType: string
  contentId?: string
  inline: boolean
  content: Buffer
}

export interface ParsedMessage {
  headers: Record<string, string[]>
  subject: string
  messageId?: string
  from: ParsedAddress[]
  to: ParsedAddress[]
  cc: ParsedAddress[]
  bcc: ParsedAddress[]
  replyTo: ParsedAddress[]
  text: string
  html?: string
  attachments: ParsedAttachment[]
  /**
   * True if the message exceeds a limit or is invalid. The headers of such a message are complete,
   * but bodies may be missing.
   */
  incomplete: boolean
}

/** Maximum number of bytes of a message that are read. The rest of a stream is not read. */
const maxBytes = 64 * 1024 * 1024
/** Maximum number of MIME parts of a message. Also limits the nesting of the parts. */
const maxParts = 1_000
/**
 * Maximum number of header bytes of a message that mailparser gets. mailparser takes 0.2 µs per
 * byte.
 */
const maxHeadBytes = 256 * 1024
const maxHtmlLength = 2 * 1024 * 1024

/**
 * Parses a whole message with the library mailparser. If the message exceeds a limit, `incomplete`
 * is set and no error is thrown.
 */
export async function parseMessage(source: Readable | Buffer): Promise<ParsedMessage> {
  const { bytes, cut } = Buffer.isBuffer(source) ? limit(source) : await read(source)
  const mail = await parse(bytes)
  return { ...parseHead(bytes), ...toBodies(mail), incomplete: cut || mail === undefined }
}

function parseHead(bytes: Buffer) {
  const headers = parseHeaders(bytes)
  const subject = headers['subject']?.[0] ?? ''
  return defined({ headers, subject, messageId: headers['message-id']?.[0] })
}

function toBodies({ text, html, attachments = [], ...mail }: Partial<ParsedMail> = {}) {
  return defined({
    from: toAddresses(mail.from),
    to: toAddresses(mail.to),
    cc: toAddresses(mail.cc),
    bcc: toAddresses(mail.bcc),
    replyTo: toAddresses(mail.replyTo),
    text: text ?? (html ? htmlToText(html) : ''),
    html: html || undefined,
    attachments: attachments.map(toAttachment),
  })
}

async function parse(bytes: Buffer): Promise<ParsedMail | undefined> {
  try {
    return await simpleParser(bytes, {
      skipTextToHtml: true,
      skipHtmlToText: true,
      keepCidLinks: true,
      ignoreEmbedded: true,
      checksumAlgo: false,
      maxHeadSize: maxHeadBytes,
      maxChildNodes: maxParts,
      maxHtmlLengthToParse: maxHtmlLength,
    })
  } catch {
    return undefined
  }
}

function limit(bytes: Buffer): { bytes: Buffer; cut: boolean } {
  return { bytes: bytes.subarray(0, maxBytes), cut: bytes.length > maxBytes }
}

async function read(source: Readable): Promise<{ bytes: Buffer; cut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    chunks.push(bytes)
    length += bytes.length
    // leaving the loop destroys the stream with the rest of the message
    if (length > maxBytes) break
  }
  return limit(Buffer.concat(chunks))
}

function toAddresses(value: AddressObject | AddressObject[] | undefined): ParsedAddress[] {
  return (value === undefined ? [] : [value])
    .flat()
    .flatMap((list) => list.value)
    .flatMap((entry) => entry.group ?? [entry])
    .map(({ name, address }) => ({ name, address: address ?? '' }))
}

function toAttachment(part: ParsedMail['attachments'][number]): ParsedAttachment {
  return defined({
    filename: part.filename,
    contentType: part.contentType,
    contentId: part.cid,
    inline: part.contentDisposition === 'inline' || part.related === true,
    content: part.content,
  })
}
