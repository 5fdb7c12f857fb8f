import type { ApiMessage, MailApi } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { type MessageDetail, SpecialUse } from '@posthorn/contracts/schemas/message'
import { matches } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import { checkApiMessageId, decodeApiTextId } from '@posthorn/message-id'
import { maxJsonBytes, type ReadText } from '@posthorn/message-reader'
import { isAutoReply } from '@posthorn/mime'
import type { AccountRequest } from '../../account-driver.ts'
import type { FolderNames } from '../events/folder-names.ts'
import { maxEmbeddedBytes } from '../../messages/image-references.ts'
import { headersOf, messageEntry } from '../messages/entry.ts'
import { attachmentReader } from '../messages/read-content.ts'
import { maxTextBytes, readTexts, withImages } from '../messages/read-text.ts'
import { type ApiCommand, type ApiWork, requestChanges } from './api-command.ts'
import { readNames } from './folders.ts'

/**
 * Reads one message with its headers and, if requested, its text. Sets `\Seen` first if
 * `markAsSeen` is requested, so that the returned flags contain `\Seen`.
 */
export function getMessage(request: AccountRequest<'getMessage'>): ApiWork<'getMessage'> {
  const id = checkApiMessageId(request.message)
  return async (command) => {
    const { api, signal } = command
    if (request.markAsSeen) {
      const { missing } = await api.updateMessages([id], { unseen: false }, signal)
      if (missing.length > 0) throw messageNotFound()
      requestChanges(command, id)
    }
    const maxBytes = textLimit(request)
    const options = { headers: true, attachments: true, maxTextBytes: maxBytes }
    const [message, names] = await Promise.all([
      api.getMessage(id, defined(options), signal),
      readNames(command),
    ])
    const detail = await describeMessage(command, { message, names }, request)
    const [withBounces] = await command.bounces.addTo(command.db, command, [detail])
    return withBounces ?? detail
  }
}

/** Reads the plain text and HTML of a message at a mail API. */
export function getText({
  account: _account,
  text,
  ...options
}: AccountRequest<'getText'>): ApiWork<'getText'> {
  const id = decodeApiTextId(text)
  return async (command) => {
    const embeds = options.webSafeHtml === true
    const request = defined({
      attachments: embeds || undefined,
      maxTextBytes: textLimit(options),
    })
    const message = await command.api.getMessage(id, request, command.signal)
    const texts = await readRequestedTexts(command, message, options)
    if (!options.webSafeHtml) return texts
    const { html = '', hasMore } = texts
    return defined({ html, webSafe: true, hasMore: hasMore || undefined })
  }
}

/**
 * Text options of a request for a message. `webSafeHtml` implies both kinds of text and embedded
 * images.
 */
interface TextRequest {
  textType?: 'plain' | 'html' | '*'
  maxBytes?: number
  webSafeHtml?: boolean
  embedAttachedImages?: boolean
}

/**
 * Maximum bytes of the message texts to read. Undefined if the request needs no text of the
 * message.
 */
function textLimit({ textType, webSafeHtml, maxBytes = maxTextBytes }: TextRequest) {
  return textType === undefined && !webSafeHtml ? undefined : Math.min(maxBytes, maxTextBytes)
}

async function readRequestedTexts(
  { api, account, reader, signal }: ApiCommand,
  message: ApiMessage,
  { textType = '*', webSafeHtml: webSafe = false, embedAttachedImages = webSafe }: TextRequest,
): Promise<Partial<ReadText>> {
  if (!message.texts) return {}
  const read = reader.forAccount(account, signal)
  const kinds = { plain: textType !== 'html', html: textType !== 'plain', webSafe }
  const texts = await readTexts(read, message.texts, kinds)
  if (!embedAttachedImages) return texts
  const readings = { read, readAttachment: attachmentReader({ api, id: message.id, signal }) }
  const limits = { maxTotalBytes: maxEmbeddedBytes.reading, maxJsonBytes }
  return withImages(readings, texts, { message, ...limits })
}

/**
 * Builds the detailed description of a message that was read at a mail API, with its headers and
 * the requested texts.
 */
export async function describeMessage(
  command: ApiCommand,
  { message, names }: { message: ApiMessage; names: FolderNames },
  request: TextRequest,
): Promise<MessageDetail> {
  const { text, ...entry } = messageEntry(message, names, await command.settings.get())
  const { specialUse } = names.mailboxOf(message.folderId)
  const headers = headersOf(message)
  return defined({
    ...entry,
    headers,
    text: text && { ...text, ...(await readRequestedTexts(command, message, request)) },
    specialUse: specialUse !== null && matches(SpecialUse, specialUse) ? specialUse : undefined,
    isAutoReply: isAutoReply(headers) || undefined,
  })
}

export function messageNotFound(): AppError {
  return new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
}

/**
 * Reads the flags, labels and headers of a message.
 * @throws MailApiError `message-missing`, `unreadable-id`
 */
export function readState(
  { api, signal }: { api: Pick<MailApi, 'getMessage'>; signal: AbortSignal },
  id: string,
): Promise<ApiMessage> {
  return api.getMessage(id, {}, signal)
}

/**
 * Reads the version of a draft, which changes with each change of the draft. Absent if the id of a
 * draft changes instead, or if the message is no draft.
 */
export function getDraftVersion({
  message,
}: AccountRequest<'getDraftVersion'>): ApiWork<'getDraftVersion'> {
  const messageId = checkApiMessageId(message)
  return async ({ api, signal }) => {
    // If labels replace folders (placement `labels`), each change of a draft gives the draft
    // another id, so that no version is needed. A search for the new id would cost requests.
    if (api.traits.placement === 'labels') return {}
    const [draft] = await api.findDrafts({ messageId }, signal)
    return defined({ version: draft?.version })
  }
}
