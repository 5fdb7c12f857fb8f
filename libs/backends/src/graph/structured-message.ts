import { defined } from '@posthorn/contracts/defined'
import {
  type LargeMessage,
  type MessageContent,
  type ParsedAddress,
  parseLargeMessage,
  type PartContent,
  toSource,
} from '@posthorn/mime'
import { MailApiError } from '../mail-api/errors.ts'
import type { GraphRecipient } from '../provider-types/graph.ts'
import { type StructuredHeaders, toHeaderMembers } from './message-headers.ts'

/** File of a message with the properties that a Graph attachment needs. */
export interface StructuredFile {
  name: string
  contentType: string
  isInline: boolean
  contentId?: string
  content: PartContent
}

/** Message in the structured (JSON) format of Graph. */
export interface StructuredMessage {
  /** Members of the Graph message, except its files, Message-ID and other header fields. */
  message: object
  headers: StructuredHeaders
  messageIdHeader?: string
  files: StructuredFile[]
}

/** Media types of MIME parts whose meaning the structured format of Graph cannot express. */
const mimeOnly =
  /^(?:multipart\/(?:signed|encrypted)|application\/(?:x-)?pkcs7-(?:mime|signature)|text\/calendar|application\/pgp-encrypted)/i
/**
 * Converts a message (RFC 5322) to the structured format of Graph. The contents of large files are
 * only read when they are sent.
 *
 * @throws MailApiError `too-large` for signed, encrypted or calendar mail, which can only be sent
 * as MIME
 */
export async function toStructured(content: MessageContent): Promise<StructuredMessage> {
  const parsed = await parseLargeMessage(toSource(content))
  if (hasMimeOnlyPart(parsed) || hasCalendar(parsed))
    throw new MailApiError('too-large', 'The message cannot be converted and is too large for MIME')
  return defined({
    message: messageOf(parsed),
    headers: toHeaderMembers(parsed.skeleton),
    messageIdHeader: parsed.messageId,
    files: parsed.attachments.map((each, index) =>
      defined({
        name: each.filename ?? `attachment-${index + 1}`,
        contentType: each.contentType,
        isInline: each.inline && each.contentId !== undefined,
        contentId: each.contentId,
        content: each.content,
      }),
    ),
  })
}

/** True for a message that can only be sent as MIME, which `toStructured` refuses. */
export async function isMimeOnly(content: MessageContent): Promise<boolean> {
  const parsed = await parseLargeMessage(toSource(content))
  return hasCalendar(parsed) || hasMimeOnlyPart(parsed)
}

function hasMimeOnlyPart(parsed: LargeMessage): boolean {
  const attached = parsed.attachments.map(({ contentType }) => contentType)
  const types = [firstOf(parsed, 'content-type') ?? '', ...attached]
  return parsed.incomplete || types.some((type) => mimeOnly.test(type))
}

/**
 * True if a message has a calendar part. A calendar part is an alternative text, which is no
 * attachment.
 */
function hasCalendar({ skeleton }: LargeMessage): boolean {
  return (
    skeleton.includes('text/calendar') &&
    /^content-type:\s*text\/calendar/im.test(skeleton.toString('latin1'))
  )
}

function messageOf(parsed: LargeMessage): object {
  const [from] = recipientsOf(parsed.from)
  return defined({
    subject: parsed.subject,
    body:
      parsed.html === undefined
        ? { contentType: 'text', content: parsed.text }
        : { contentType: 'html', content: parsed.html },
    from,
    toRecipients: recipientsOf(parsed.to),
    ccRecipients: recipientsOf(parsed.cc),
    bccRecipients: recipientsOf(parsed.bcc),
    replyTo: recipientsOf(parsed.replyTo),
    importance: importanceOf(parsed),
  })
}

function recipientsOf(addresses: readonly ParsedAddress[]): GraphRecipient[] {
  return addresses.map(({ name, address }) => ({
    emailAddress: name === '' ? { address } : { name, address },
  }))
}

function importanceOf(parsed: LargeMessage): 'high' | 'low' | undefined {
  const importance = firstOf(parsed, 'importance')?.toLowerCase()
  const priority = firstOf(parsed, 'x-priority')?.charAt(0) ?? ''
  if (importance === 'high' || /[12]/.test(priority)) return 'high'
  return importance === 'low' || /[45]/.test(priority) ? 'low' : undefined
}

function firstOf({ headers }: LargeMessage, name: string): string | undefined {
  return headers[name]?.[0]
}
