import type { FetchedMessage, MailSession, ReadAddress } from '@posthorn/backends'
import type { AttachmentInfo, CalendarEvent, MessageNew, Settings } from '@posthorn/contracts'
import { isAutoReply, parseHeaders } from '@posthorn/mime'
import { type AttachedPart, parseOutline, type Outline } from '../messages/outline.ts'
import { embedImages, maxEmbeddedBytes } from '../messages/read-text.ts'
import { type EntryMailbox, messageEntry, isSameAddress } from '../messages/entry.ts'
import { maxTextBytes, readPart, type ReadText, readText } from '../messages/read-text.ts'
import { type SummaryInput, buildSummaryInput } from '../summaries/input.ts'
import { readCalendarEvents } from './calendar-events.ts'
import { readMessageReport, type MessageReport } from './reports.ts'
import { undefinedIfMissing } from '../messages/read-text.ts'

/** What of an attachment is put into an event at most, whatever the settings say: its base64 goes through memory as a whole. */
const maxAttachmentBytes = 25 * 1024 * 1024

/** All of a messageNew but `seemsLikeNew`, which only the transaction that stores it can know. */
export type MessageNewDraft = Omit<MessageNew, 'seemsLikeNew'>

export interface DraftedMessage {
  draft: MessageNewDraft
  /** What the message says about another one. */
  report: MessageReport | undefined
  /** What is to be summarised of it. */
  toSummarise: SummaryInput | undefined
}

/** Builds the data of a messageNew. Reads texts and attachments from the server as far as the settings ask for them. */
export async function draftMessageNew(
  session: MailSession,
  { message, mailbox }: { message: FetchedMessage; mailbox: EntryMailbox },
  settings: Settings,
): Promise<DraftedMessage> {
  const outline = parseOutline(message.bodyStructure)
  const { text, replyTo, attachments, ...entry } = messageEntry(message, mailbox, outline)
  const headers = parseHeaders(message.headers ?? Buffer.alloc(0))
  const wanted = pickHeaders(headers, settings.notifyHeaders ?? [])
  const read = await readWantedText(session, { uid: message.uid, outline }, settings)
  const attached =
    attachments && (await withContent(session, { message, outline, attachments }, settings))
  const calendarEvents = await readCalendar(session, { message, outline, attachments }, settings)
  const { id, messageSpecialUse: specialUse } = entry
  const reported = await readMessageReport(session, message, { id, headers, specialUse })
  const { uid } = message
  const toSummarise = await buildSummaryInput(session, { uid, outline, entry, read }, settings)
  const draft = {
    ...entry,
    ...replyOf(replyTo, entry.from),
    ...(text ? { text: { ...text, ...read } } : {}),
    ...(attached ? { attachments: attached } : {}),
    ...(calendarEvents.length > 0 ? { calendarEvents } : {}),
    ...(wanted ? { headers: wanted } : {}),
    ...(isAutoReply(headers) ? { isAutoReply: true } : {}),
    ...reported?.flags,
  }
  return { draft, report: reported, toSummarise }
}

/** The one address that an event has room for: the first that says something else than `from`. */
function replyOf(
  replyTo: readonly ReadAddress[] = [],
  from?: ReadAddress,
): Pick<MessageNewDraft, 'replyTo'> {
  const elsewhere = replyTo.find((one) => !isSameAddress(one, from))
  return elsewhere ? { replyTo: elsewhere } : {}
}

async function readCalendar(
  session: MailSession,
  from: { message: FetchedMessage; outline: Outline; attachments: AttachmentInfo[] | undefined },
  { notifyCalendarEvents = false }: Settings,
): Promise<CalendarEvent[]> {
  const { message, ...parts } = from
  return notifyCalendarEvents ? readCalendarEvents(session, { uid: message.uid, ...parts }) : []
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

async function readWantedText(
  session: MailSession,
  message: { uid: number; outline: Outline },
  { notifyText = false, notifyTextSize, notifyWebSafeHtml = false }: Settings,
) {
  if (!notifyText && !notifyWebSafeHtml) return {}
  const wish = {
    plain: notifyText,
    html: notifyText,
    webSafe: notifyWebSafeHtml,
    maxBytes: notifyTextSize ?? maxTextBytes,
  }
  const read = (await undefinedIfMissing(readText(session, message, wish))) ?? {}
  return notifyWebSafeHtml ? withImages(session, message, read) : read
}

/** Web-safe HTML with the pictures of the message in it, as when it is read back; as far as an event has room for them. */
async function withImages(
  session: MailSession,
  message: { uid: number; outline: Outline },
  read: Partial<ReadText>,
): Promise<Partial<ReadText>> {
  if (read.html === undefined) return read
  const embedding = { html: read.html, maxTotalBytes: maxEmbeddedBytes.event }
  const html = await undefinedIfMissing(embedImages(session, message, embedding))
  return html === undefined ? read : { ...read, html }
}

/** Interface spec, "Conditional inclusion": none unless asked for, and none that is larger than asked for. */
async function withContent(
  session: MailSession,
  from: { message: FetchedMessage; outline: Outline; attachments: AttachmentInfo[] },
  { notifyAttachments = false, notifyAttachmentSize = maxAttachmentBytes }: Settings,
): Promise<AttachmentInfo[] | undefined> {
  if (!notifyAttachments) return undefined
  const maxBytes = Math.min(notifyAttachmentSize, maxAttachmentBytes)
  const result: AttachmentInfo[] = []
  let room = maxAttachmentBytes
  for (const [at, info] of from.attachments.entries()) {
    const part = from.outline.attachments[at]
    const content =
      part &&
      (await readContent(session, { uid: from.message.uid, part }, Math.min(maxBytes, room)))
    if (content === 'too large' && maxBytes <= room) continue
    if (!Buffer.isBuffer(content)) result.push(info)
    else {
      room -= content.length
      result.push({ ...info, content: content.toString('base64') })
    }
  }
  return result
}

/** The bytes of an attachment; undefined where the server does not give them. */
async function readContent(
  session: MailSession,
  { uid, part }: { uid: number; part: AttachedPart },
  maxBytes: number,
): Promise<Buffer | 'too large' | undefined> {
  // Base64 makes four of three and adds line ends: what is larger by far need not be asked for.
  if (part.size > maxBytes * 1.5 + 1024) return 'too large'
  const bytes = await undefinedIfMissing(
    readPart(session, { uid, part: part.part, maxBytes: maxBytes + 1 }),
  )
  return bytes && bytes.length > maxBytes ? 'too large' : bytes
}
