import type { Readable } from 'node:stream'
import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser'
import { htmlToText } from './html-to-text.ts'
import { parseHeaders } from './parse-headers.ts'

export interface ParsedAddress {
  name: string
  address: string
}

export interface ParsedAttachment {
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
  replyTo: ParsedAddress[]
  text: string
  html?: string
  attachments: ParsedAttachment[]
  /** The message went beyond a limit or could not be taken apart: the headers are there, the bodies may not be. */
  incomplete: boolean
}

/** Bytes read of one message; the rest is left unread. */
const maxBytes = 64 * 1024 * 1024
/** Bounds the nesting as well. */
const maxParts = 1_000
const maxHeadBytes = 1024 * 1024
const maxHtmlLength = 2 * 1024 * 1024

/** Takes a whole message apart. A message beyond the limits gives its headers and `incomplete`, not an error. */
export async function parseMessage(source: Readable | Buffer): Promise<ParsedMessage> {
  const { bytes, cut } = Buffer.isBuffer(source) ? limit(source) : await read(source)
  const mail = await parse(bytes)
  return { ...headersOf(bytes), ...bodiesOf(mail), incomplete: cut || mail === undefined }
}

function headersOf(bytes: Buffer) {
  const headers = parseHeaders(bytes)
  const messageId = headers['message-id']?.[0]
  const subject = headers['subject']?.[0] ?? ''
  return { headers, subject, ...(messageId === undefined ? {} : { messageId }) }
}

function bodiesOf({
  from,
  to,
  cc,
  replyTo,
  text,
  html,
  attachments = [],
}: Partial<ParsedMail> = {}) {
  return {
    from: addresses(from),
    to: addresses(to),
    cc: addresses(cc),
    replyTo: addresses(replyTo),
    text: text ?? (html ? htmlToText(html) : ''),
    ...(html ? { html } : {}),
    attachments: attachments.map(attachment),
  }
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
    if (length > maxBytes) break // leaving the loop destroys the stream
  }
  return limit(Buffer.concat(chunks))
}

function addresses(value: AddressObject | AddressObject[] | undefined): ParsedAddress[] {
  return (value === undefined ? [] : [value])
    .flat()
    .flatMap((list) => list.value)
    .flatMap((entry) => entry.group ?? [entry])
    .map(({ name, address }) => ({ name, address: address ?? '' }))
}

function attachment(part: ParsedMail['attachments'][number]): ParsedAttachment {
  return {
    ...(part.filename === undefined ? {} : { filename: part.filename }),
    contentType: part.contentType,
    ...(part.cid === undefined ? {} : { contentId: part.cid }),
    inline: part.contentDisposition === 'inline' || part.related === true,
    content: part.content,
  }
}
