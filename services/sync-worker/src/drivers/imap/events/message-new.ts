import type { FetchedMessage, MailSession } from '@posthorn/backends'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { ReadText } from '@posthorn/message-reader'
import { isAutoReply, parseHeaders } from '@posthorn/mime'
import { embedImages } from '../messages/embed-images.ts'
import { type EntryMailbox, messageEntry } from '../messages/entry.ts'
import { type Outline, parseOutline } from '../messages/outline.ts'
import { maxTextBytes, readPart, readText } from '../messages/read-text.ts'
import { type MessageSource, readStart } from '../messages/source.ts'
import { undefinedIfMissing } from '../../messages/undefined-if.ts'
import { buildSummaryInput, type SummarySource } from '../../../summaries/input.ts'
import { readContents } from '../../messages/attachment-contents.ts'
import { readCalendarEvents } from '../../messages/calendar-events.ts'
import { selectReplyTo } from '../../messages/envelope-fields.ts'
import { maxEmbeddedBytes } from '../../messages/image-references.ts'
import type { MessageNewDraft } from '../../../events/announce.ts'
import { pickHeaders } from '../../../events/pick-headers.ts'
import { readMessageReport, type ReportSource } from '../../../events/reports.ts'

/**
 * Builds the data of a messageNew. Reads texts and attachments if the settings request them. Also
 * returns the bounce, complaint or delivery report that the message contains, and the input of the
 * message's summary.
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
  const attached = (attachments ?? []).flatMap((info, at) => {
    const part = outline.attachments[at]
    return part ? [{ ...part, id: info.id, info }] : []
  })
  const readBytes = (part: { part: string }, maxBytes: number) =>
    readContent(source.session, { uid, part: part.part }, maxBytes)
  const contents = await readContents(attached, settings, readBytes)
  const calendarSource = { read: source.read, readPart: readBytes }
  const calendar = settings.notifyCalendarEvents
    ? await readCalendarEvents(calendarSource, attached)
    : {}
  const { id, messageSpecialUse: specialUse } = entry
  const readings = readingsOf(source, { uid, outline })
  const candidate = { id, size: message.size, headers, specialUse }
  const report = await readMessageReport(readings, candidate)
  const toSummarise = await buildSummaryInput(readings, { entry, texts: read }, settings)
  const draft: MessageNewDraft = {
    ...entry,
    ...selectReplyTo(replyTo, entry.from),
    ...(text && { text: { ...text, ...read } }),
    ...(contents && { attachments: contents }),
    ...calendar,
    ...(notifiedHeaders && { headers: notifiedHeaders }),
    ...(isAutoReply(headers) && { isAutoReply: true }),
    ...report?.flags,
  }
  return { draft, report, toSummarise }
}

/** Functions that read a message for reports and summaries, independent of IMAP. */
function readingsOf(
  source: MessageSource<keyof MailSession>,
  message: { uid: number; outline: Outline },
): ReportSource & SummarySource {
  const { session, read } = source
  const options = { plain: true, html: true, webSafe: false }
  return {
    read,
    readStart: (maxBytes) => undefinedIfMissing(readStart(session, message.uid, maxBytes)),
    readTexts: (maxBytes) =>
      undefinedIfMissing(readText(source, message, { ...options, maxBytes })),
  }
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

/** Bytes of an attachment; undefined if the server does not return the attachment. */
function readContent(
  session: MailSession,
  { uid, part }: { uid: number; part: string },
  maxBytes: number,
): Promise<Buffer | undefined> {
  return undefinedIfMissing(readPart(session, { uid, part, maxBytes }))
}
