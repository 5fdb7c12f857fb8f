import { defined } from '@posthorn/contracts/defined'
import type { AttachmentInfo, MessageEntry } from '@posthorn/contracts/schemas/message'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { ReadPart, ReadText } from '@posthorn/message-reader'
import { isAutoReply } from '@posthorn/mime'
import type { MessageNewDraft } from '../../events/announce.ts'
import { type MessageReport, readMessageReport, type ReportSource } from '../../events/reports.ts'
import { buildSummaryInput, type SummaryInput } from '../../summaries/input.ts'
import { type CalendarCandidate, readCalendarEvents } from './calendar-events.ts'
import { selectReplyTo } from './envelope-fields.ts'
import { maxEmbeddedBytes, type TextsWithReferences } from './image-references.ts'

export interface TextKinds {
  plain: boolean
  html: boolean
  /**
   * True for HTML of a message that is sanitised for display in a page, or converted from the plain
   * text.
   */
  webSafe: boolean
}

/**
 * New message, with the functions by which a driver reads its contents. A function returns
 * undefined for a content that the server does not return.
 */
export interface NewMessage<Part extends Omit<CalendarCandidate, 'id'>> extends ReportSource {
  readonly read: ReadPart
  readonly entry: MessageEntry & { path: string }
  /** Size of the new message in bytes. */
  readonly size: number
  readonly headers: Record<string, string[]>
  /** Attachments of the new message, in the order of the message entry. */
  readonly parts: readonly Part[]
  /**
   * Reads texts of the new message, each (plain or HTML) up to `maxBytes` or the driver's limit.
   */
  readTexts(options: TextKinds & { maxBytes?: number }): Promise<Partial<ReadText> | undefined>
  /** Embeds attached images into the HTML of the new message. */
  embedImages(texts: TextsWithReferences): Promise<string | undefined>
  /** Reads the first `maxBytes` of an attachment of the new message. */
  readPart(part: Part, maxBytes: number): Promise<Uint8Array | undefined>
}

/** Data of a `messageNew` event, and the report (such as a bounce) that the message contains. */
export interface DraftedMessage {
  draft: MessageNewDraft
  report?: MessageReport
  /** Input for the summary of the new message. Absent if no summary is requested. */
  toSummarise?: SummaryInput
}

/**
 * Builds the data of a `messageNew` event. Reads texts and attachments of the message if the
 * settings request them. Also reads the beginning of a message whose headers look like a report.
 */
export async function draftMessageNew<Part extends Omit<CalendarCandidate, 'id'>>(
  message: NewMessage<Part>,
  settings: Settings,
): Promise<DraftedMessage> {
  const { read, size, headers } = message
  const { text, replyTo, attachments = [], ...entry } = message.entry
  const texts = await readNotifiedTexts(message, settings)
  const attached = attachments.flatMap((info, at) => {
    const part = message.parts[at]
    return part ? [{ ...part, id: info.id, info }] : []
  })
  const readPart = (part: Part, maxBytes: number) => message.readPart(part, maxBytes)
  const contents = await readContents(attached, settings, readPart)
  const calendar = settings.notifyCalendarEvents
    ? await readCalendarEvents({ read, readPart }, attached)
    : {}
  const candidate = { id: entry.id, size, headers, specialUse: entry.messageSpecialUse }
  const report = await readMessageReport(message, candidate)
  const readAll = (maxBytes: number) =>
    message.readTexts({ plain: true, html: true, webSafe: false, maxBytes })
  const summary = { read, readTexts: readAll }
  const toSummarise = await buildSummaryInput(summary, { entry, texts }, settings)
  const notifiedHeaders = pickHeaders(headers, settings.notifyHeaders ?? [])
  const draft: MessageNewDraft = {
    ...entry,
    ...selectReplyTo(replyTo, entry.from),
    ...(text && { text: { ...text, ...texts } }),
    ...(contents && { attachments: contents }),
    ...calendar,
    ...(notifiedHeaders && { headers: notifiedHeaders }),
    ...(isAutoReply(headers) && { isAutoReply: true }),
    ...report?.flags,
  }
  return { draft, ...(report && { report }), ...(toSummarise && { toSummarise }) }
}

async function readNotifiedTexts(
  message: Pick<NewMessage<never>, 'readTexts' | 'embedImages'>,
  { notifyText = false, notifyTextSize: maxBytes, notifyWebSafeHtml = false }: Settings,
): Promise<Partial<ReadText>> {
  if (!notifyText && !notifyWebSafeHtml) return {}
  const kinds = { plain: notifyText, html: notifyText, webSafe: notifyWebSafeHtml }
  const texts = (await message.readTexts(defined({ ...kinds, maxBytes }))) ?? {}
  if (!notifyWebSafeHtml || texts.html === undefined) return texts
  // Web-safe HTML contains the images of the message, up to the size limit of an event.
  const embedding = { html: texts.html, maxTotalBytes: maxEmbeddedBytes.event }
  return { ...texts, html: (await message.embedImages(embedding)) ?? texts.html }
}

/**
 * Selects the message headers that the setting `notifyHeaders` names; `*` selects all headers.
 * Undefined if the setting names no header. Pure.
 */
function pickHeaders(
  headers: Record<string, string[]>,
  names: readonly string[],
): Record<string, string[]> | undefined {
  if (names.length === 0) return undefined
  if (names.includes('*')) return headers
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => wanted.has(name)))
}

/** Maximum value of `notifyAttachmentSize`. Base64 of an attachment is held in memory. */
const maxAttachmentBytes = 25 * 1024 * 1024

/** Attachment of a new message. */
interface AttachmentPart {
  info: AttachmentInfo
  /** Size of the attachment in bytes, either in transfer encoding or decoded. */
  size: number
}

/**
 * Builds the attachments in the event of a new message, with their contents if the settings request
 * them. Interface spec, "Conditional inclusion": attachments above the requested size are left out,
 * except that `notifyAttachmentList` lists all attachments. `readBytes` returns undefined for a
 * missing part.
 */
async function readContents<Part extends AttachmentPart>(
  parts: readonly Part[],
  settings: Settings,
  readBytes: (part: Part, maxBytes: number) => Promise<Uint8Array | undefined>,
): Promise<AttachmentInfo[] | undefined> {
  const { notifyAttachments, notifyAttachmentList, notifyAttachmentSize } = settings
  if (parts.length === 0) return undefined
  if (!notifyAttachments) return notifyAttachmentList ? parts.map(({ info }) => info) : undefined
  const maxBytes = Math.min(notifyAttachmentSize ?? maxAttachmentBytes, maxAttachmentBytes)
  const result: AttachmentInfo[] = []
  let remainingBytes = maxAttachmentBytes
  for (const part of parts) {
    const limit = Math.min(maxBytes, remainingBytes)
    const content = await readContent(part, limit, readBytes)
    const isSkipped = content === 'too large' && maxBytes <= remainingBytes
    if (isSkipped && !notifyAttachmentList) continue
    if (content === undefined || content === 'too large') result.push(part.info)
    else {
      remainingBytes -= content.length
      result.push({ ...part.info, content: Buffer.from(content).toString('base64') })
    }
  }
  return result
}

async function readContent<Part extends AttachmentPart>(
  part: Part,
  maxBytes: number,
  readBytes: (part: Part, maxBytes: number) => Promise<Uint8Array | undefined>,
): Promise<Uint8Array | 'too large' | undefined> {
  // The size of an attachment may be given in base64, which is a third larger and has line ends.
  // Only an attachment far above the limit is therefore not fetched.
  if (part.size > maxBytes * 1.5 + 1024) return 'too large'
  const bytes = await readBytes(part, maxBytes + 1)
  return bytes && bytes.length > maxBytes ? 'too large' : bytes
}
