import type { ApiAttachment, ApiMessage, GetOptions } from '@posthorn/backends/mail-api'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { SettingsCache } from '@posthorn/db'
import type { ReadPart } from '@posthorn/message-reader'
import type { Summaries } from '../../../summaries/summaries.ts'
import {
  type DraftedMessage,
  draftMessageNew,
  type NewMessage,
} from '../../messages/message-new.ts'
import { headersOf, messageEntry } from './entry.ts'
import { attachmentReader, type ContentSource, readStart } from './read-content.ts'
import { maxTextBytes, readTexts, withImages } from './read-text.ts'
import type { FolderNames } from '../events/folder-names.ts'

/** Builder of the data of `messageNew` events, for an account at a mail API. */
export interface MessageDrafter {
  /** Returns the parts of messages that have to be read according to the settings. */
  getOptions(): Promise<GetOptions>
  draft(message: ApiMessage, names: FolderNames): Promise<DraftedMessage>
  /** Adds the requested summaries to the data of events that are stored together. */
  addSummaries(drafted: readonly DraftedMessage[]): Promise<void>
}

export interface DrafterDeps extends Omit<ContentSource, 'id'> {
  readonly settings: Pick<SettingsCache, 'get'>
  readonly summaries: Pick<Summaries, 'startBatch'>
  /** Reader that parses parts of the account's messages. */
  readonly read: ReadPart
}

/**
 * Maximum bytes that are read of each text (plain or HTML) of a new message if the settings contain
 * no limit.
 */
const defaultTextBytes = 2_097_152
/**
 * Maximum bytes that are read of each text (plain or HTML) of a new message if only a summary needs
 * the texts.
 */
const summaryTextBytes = 65_536

/**
 * Creates the builder of `messageNew` events for an account at a mail API. Downloads the
 * attachments that the settings request, and the beginning of a message whose headers look like a
 * report. If the provider refuses an attachment, the event does not contain it.
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
      return draftMessageNew(newMessage(deps, { message, names, settings }), settings)
    },
    addSummaries: (drafted) => addSummaries(deps, drafted),
  }
}

function textLimit(settings: Settings): number | undefined {
  const { notifyText, notifyWebSafeHtml, notifyTextSize = defaultTextBytes } = settings
  if (notifyText || notifyWebSafeHtml) return Math.min(notifyTextSize, maxTextBytes)
  return settings.generateEmailSummary ? summaryTextBytes : undefined
}

interface NewApiMessage {
  message: ApiMessage
  names: FolderNames
  settings: Settings
}

/**
 * Builds the new message of a `messageNew` event, with the functions that read the message's
 * contents. The message must have been read with the options of `getOptions`.
 */
function newMessage(
  deps: DrafterDeps,
  { message, names, settings }: NewApiMessage,
): NewMessage<ApiAttachment & { size: number }> {
  const { read } = deps
  const { id, size = 0, texts, attachments = [] } = message
  const contents: ContentSource = { ...deps, id }
  const readAttachment = attachmentReader(contents)
  const parts = attachments.map((part) => ({ ...part, size: part.size ?? 0 }))
  return {
    read,
    entry: messageEntry(message, names, settings),
    size,
    headers: headersOf(message),
    parts,
    readTexts: async (kinds) => (texts ? readTexts(read, texts, kinds) : {}),
    async embedImages({ html, ...limits }) {
      const embedded = await withImages({ read, readAttachment }, { html }, { message, ...limits })
      return embedded.html
    },
    readPart: readAttachment,
    readStart: (maxBytes) => readStart(contents, maxBytes),
  }
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
