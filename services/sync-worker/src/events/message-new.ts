import type { FetchedMessage, MailSession, EnvelopeAddress } from '@posthorn/backends'
import type { AttachmentInfo, MessageNew, Settings } from '@posthorn/contracts'
import type { ReadText } from '@posthorn/message-reader'
import { isAutoReply, parseHeaders } from '@posthorn/mime'
import { embedImages, maxEmbeddedBytes } from '../messages/embed-images.ts'
import { type EntryMailbox, isSameAddress, messageEntry } from '../messages/entry.ts'
import { type AttachedPart, type Outline, parseOutline } from '../messages/outline.ts'
import { maxTextBytes, readPart, readText } from '../messages/read-text.ts'
import type { MessageSource } from '../messages/source.ts'
import { undefinedIfMissing } from '../messages/undefined-if.ts'
import { buildSummaryInput } from '../summaries/input.ts'
import { readCalendarEvents } from './calendar-events.ts'
import { readMessageReport } from './reports.ts'

/** Upper limit of `notifyAttachmentSize`: the base64 of an attachment is held in memory. */
const maxAttachmentBytes = 25 * 1024 * 1024

/** Data of a messageNew without `seemsLikeNew`, which only the storing transaction knows. */
export type MessageNewDraft = Omit<MessageNew, 'seemsLikeNew'>

/**
 * Builds the data of a messageNew. Reads texts and attachments if the settings request them. Also
 * returns the bounce, complaint or delivery report that the message contains, and the input of its
 * summary.
 */
export async function draftMessageNew(
  source: MessageSource<keyof MailSession>,
  { message, mailbox }: { message: FetchedMessage; mailbox: EntryMailbox },
  settings: Settings,
) {
  const { uid } = message
  const outline = parseOutline(message.bodyStructure)
  const { text, replyTo, attachments, ...entry } = messageEntry(message, mailbox, outline)
  const headers = parseHeaders(message.headers ?? Buffer.alloc(0))
  const notifiedHeaders = pickHeaders(headers, settings.notifyHeaders ?? [])
  const read = await readNotifiedText(source, { uid, outline }, settings)
  const withContents =
    attachments && (await readContents(source.session, { uid, outline, attachments }, settings))
  const calendarEvents =
    settings.notifyCalendarEvents &&
    (await readCalendarEvents(source, { uid, outline, attachments }))
  const { id, messageSpecialUse: specialUse } = entry
  const report = await readMessageReport(source, message, { id, headers, specialUse })
  const toSummarise = await buildSummaryInput(source, { uid, outline, entry, read }, settings)
  const draft: MessageNewDraft = {
    ...entry,
    ...selectReplyTo(replyTo, entry.from),
    ...(text && { text: { ...text, ...read } }),
    ...(withContents && { attachments: withContents }),
    ...(calendarEvents && calendarEvents.length > 0 && { calendarEvents }),
    ...(notifiedHeaders && { headers: notifiedHeaders }),
    ...(isAutoReply(headers) && { isAutoReply: true }),
    ...report?.flags,
  }
  return { draft, report, toSummarise }
}

/** First Reply-To address that differs from `from`; the event has one address only. */
function selectReplyTo(
  replyTo: readonly EnvelopeAddress[] = [],
  from?: EnvelopeAddress,
): Pick<MessageNewDraft, 'replyTo'> {
  const other = replyTo.find((address) => !isSameAddress(address, from))
  return other ? { replyTo: other } : {}
}

function pickHeaders(
  headers: Record<string, string[]>,
  names: readonly string[],
): Record<string, string[]> | undefined {
  if (names.length === 0) return undefined
  if (names.includes('*')) return headers
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => wanted.has(name)))
}

async function readNotifiedText(
  source: MessageSource,
  message: { uid: number; outline: Outline },
  { notifyText = false, notifyTextSize, notifyWebSafeHtml = false }: Settings,
): Promise<Partial<ReadText>> {
  if (!notifyText && !notifyWebSafeHtml) return {}
  const options = {
    plain: notifyText,
    html: notifyText,
    webSafe: notifyWebSafeHtml,
    maxBytes: notifyTextSize ?? maxTextBytes,
  }
  const read = (await undefinedIfMissing(readText(source, message, options))) ?? {}
  return notifyWebSafeHtml ? withImages(source, message, read) : read
}

/** Embeds the images of the message into web-safe HTML, up to the size limit of an event. */
async function withImages(
  source: MessageSource,
  message: { uid: number; outline: Outline },
  read: Partial<ReadText>,
): Promise<Partial<ReadText>> {
  if (read.html === undefined) return read
  const embedding = { html: read.html, maxTotalBytes: maxEmbeddedBytes.event }
  const html = await undefinedIfMissing(embedImages(source, message, embedding))
  return html === undefined ? read : { ...read, html }
}

/** Interface spec, "Conditional inclusion": attachments above the requested size are left out. */
async function readContents(
  session: MailSession,
  { uid, outline, attachments }: { uid: number; outline: Outline; attachments: AttachmentInfo[] },
  { notifyAttachments = false, notifyAttachmentSize = maxAttachmentBytes }: Settings,
): Promise<AttachmentInfo[] | undefined> {
  if (!notifyAttachments) return undefined
  const maxBytes = Math.min(notifyAttachmentSize, maxAttachmentBytes)
  const result: AttachmentInfo[] = []
  let remainingBytes = maxAttachmentBytes
  for (const [at, attachment] of attachments.entries()) {
    const part = outline.attachments[at]
    const limit = Math.min(maxBytes, remainingBytes)
    const content = part && (await readContent(session, { uid, part }, limit))
    if (content === 'too large' && maxBytes <= remainingBytes) continue
    if (!Buffer.isBuffer(content)) result.push(attachment)
    else {
      remainingBytes -= content.length
      result.push({ ...attachment, content: content.toString('base64') })
    }
  }
  return result
}

/** Bytes of an attachment; undefined if the server does not return them. */
async function readContent(
  session: MailSession,
  { uid, part }: { uid: number; part: AttachedPart },
  maxBytes: number,
): Promise<Buffer | 'too large' | undefined> {
  // Base64 adds a third and line ends: much larger parts need no fetch.
  if (part.size > maxBytes * 1.5 + 1024) return 'too large'
  const bytes = await undefinedIfMissing(
    readPart(session, { uid, part: part.part, maxBytes: maxBytes + 1 }),
  )
  return bytes && bytes.length > maxBytes ? 'too large' : bytes
}
