import type { ApiMessage, GetOptions } from '@posthorn/backends/mail-api'
import type { AttachmentInfo } from '@posthorn/contracts/schemas/message'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { SettingsCache } from '@posthorn/db'
import type { ReadPart, ReadText } from '@posthorn/message-reader'
import { isAutoReply } from '@posthorn/mime'
import type { MessageNewDraft } from '../../../events/announce.ts'
import { pickHeaders } from '../../../events/pick-headers.ts'
import { type MessageReport, readMessageReport } from '../../../events/reports.ts'
import { buildSummaryInput, type SummaryInput } from '../../../summaries/input.ts'
import type { Summaries } from '../../../summaries/summaries.ts'
import { readContents } from '../../messages/attachment-contents.ts'
import { readCalendarEvents } from '../../messages/calendar-events.ts'
import { selectReplyTo } from '../../messages/envelope-fields.ts'
import { maxEmbeddedBytes } from '../../messages/image-references.ts'
import { headersOf, messageEntry } from './entry.ts'
import {
  attachmentReader,
  type ContentSource,
  type ReadAttachment,
  readStart,
} from './read-content.ts'
import { maxTextBytes, readTexts, withImages } from './read-text.ts'
import type { FolderNames } from '../events/folder-names.ts'

/** Data of a messageNew, and the report that the message contains. */
export interface DraftedMessage {
  draft: MessageNewDraft
  report?: MessageReport
  /** Present if a summary is requested. */
  toSummarise?: SummaryInput
}

/** Builds the data of events about new messages. */
export interface MessageDrafter {
  /** Parts of messages that the settings request. */
  getOptions(): Promise<GetOptions>
  draft(message: ApiMessage, names: FolderNames): Promise<DraftedMessage>
  /** Adds the requested summaries to drafts that are stored together. */
  addSummaries(drafted: readonly DraftedMessage[]): Promise<void>
}

export interface DrafterDeps extends Omit<ContentSource, 'id'> {
  readonly settings: Pick<SettingsCache, 'get'>
  readonly summaries: Pick<Summaries, 'startBatch'>
  /** Readings of the account. */
  readonly read: ReadPart
}

/** Read limit per kind of text if the settings have none. */
const defaultTextBytes = 2_097_152
/** Read limit per kind of text for summaries. */
const summaryTextBytes = 65_536

/**
 * Drafts of the `messageNew` of a mail API. Downloads the beginning of messages whose headers look
 * like a report, and the attachments that the settings request. The event of a message lacks
 * attachments that the provider refuses.
 */
export function createMessageDrafter(deps: DrafterDeps): MessageDrafter {
  return {
    getOptions: async () => {
      const maxBytes = textLimit(await deps.settings.get())
      const options = { headers: true, attachments: true }
      return maxBytes === undefined ? options : { ...options, maxTextBytes: maxBytes }
    },
    draft: async (message, names) => {
      const settings = await deps.settings.get()
      return draftMessage(deps, { message, names, settings })
    },
    addSummaries: (drafted) => addSummaries(deps, drafted),
  }
}

function textLimit(settings: Settings): number | undefined {
  const { notifyText, notifyWebSafeHtml, notifyTextSize = defaultTextBytes } = settings
  if (notifyText || notifyWebSafeHtml) return Math.min(notifyTextSize, maxTextBytes)
  return settings.generateEmailSummary ? summaryTextBytes : undefined
}

interface NewMessage {
  message: ApiMessage
  names: FolderNames
  settings: Settings
}

async function draftMessage(deps: DrafterDeps, source: NewMessage): Promise<DraftedMessage> {
  const { message, names, settings } = source
  const { read } = deps
  const { text, replyTo, attachments: infos, ...entry } = messageEntry(message, names, settings)
  const { id, size = 0 } = message
  const headers = headersOf(message)
  const notifiedHeaders = pickHeaders(headers, settings.notifyHeaders ?? [])
  const contents: ContentSource = { ...deps, id }
  const readAttachment = attachmentReader(contents)
  const texts = await readNotifiedTexts(source, { read, readAttachment })
  const report = await readMessageReport(
    { read, readStart: (maxBytes) => readStart(contents, maxBytes) },
    { id, size, headers, specialUse: entry.messageSpecialUse },
  )
  const all = { plain: true, html: true, webSafe: false }
  const readAll = () => readTexts(read, message.texts ?? {}, all)
  const toSummarise = await buildSummaryInput(
    { read, readTexts: readAll },
    { entry, texts },
    settings,
  )
  const draft: MessageNewDraft = {
    ...entry,
    ...selectReplyTo(replyTo, entry.from),
    ...(text && { text: { ...text, ...texts } }),
    ...(await readAttachments(source, { read, readAttachment, infos })),
    ...(notifiedHeaders && { headers: notifiedHeaders }),
    ...(isAutoReply(headers) && { isAutoReply: true }),
    ...report?.flags,
  }
  return { draft, ...(report && { report }), ...(toSummarise && { toSummarise }) }
}

interface MessageReadings {
  read: ReadPart
  readAttachment: ReadAttachment
}

async function readNotifiedTexts(
  { message, settings }: NewMessage,
  readings: MessageReadings,
): Promise<Partial<ReadText>> {
  const { notifyText = false, notifyWebSafeHtml = false } = settings
  if ((!notifyText && !notifyWebSafeHtml) || !message.texts) return {}
  const kinds = { plain: notifyText, html: notifyText, webSafe: notifyWebSafeHtml }
  const texts = await readTexts(readings.read, message.texts, kinds)
  if (!notifyWebSafeHtml) return texts
  return withImages(readings, texts, { message, maxTotalBytes: maxEmbeddedBytes.event })
}

/** Reads contents of attachments and calendar events, as far as the settings request them. */
async function readAttachments(
  { message, settings }: NewMessage,
  { read, readAttachment, infos = [] }: MessageReadings & { infos?: AttachmentInfo[] | undefined },
): Promise<Pick<MessageNewDraft, 'attachments' | 'calendarEvents' | 'truncated'>> {
  const parts = infos.flatMap((info, at) => {
    const part = message.attachments?.[at]
    return part ? [{ ...part, size: part.size ?? 0, id: info.id, info }] : []
  })
  const contents = await readContents(parts, settings, readAttachment)
  const calendar = settings.notifyCalendarEvents
    ? await readCalendarEvents({ read, readPart: readAttachment }, parts)
    : {}
  return { ...(contents && { attachments: contents }), ...calendar }
}

async function addSummaries(
  { summaries, settings: cache, signal }: DrafterDeps,
  drafted: readonly DraftedMessage[],
): Promise<void> {
  if (!drafted.some(({ toSummarise }) => toSummarise)) return
  const settings = await cache.get()
  const batch = summaries.startBatch(signal)
  const requests = drafted.flatMap(({ draft, toSummarise }) =>
    toSummarise
      ? [
          batch
            .request(toSummarise, settings)
            .then((summary) => summary && Object.assign(draft, { summary })),
        ]
      : [],
  )
  await batch.waitAll(requests)
}
