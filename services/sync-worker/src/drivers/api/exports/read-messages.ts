import { type ApiAttachment, type ApiMessage, isMailApiError } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'
import {
  type ExportContent,
  type ExportReading,
  type ExportReadOptions,
  maxAttachmentBytes,
  tooLargeText,
} from '../../export-driver.ts'
import type { ApiCommand } from '../commands/api-command.ts'
import { readNames } from '../commands/folders.ts'
import { describeMessage } from '../commands/get-message.ts'
import { getMessages } from '../messages/get-messages.ts'
import { isMailboxFailure, type OnRefusal } from '../messages/refusals.ts'
import { maxTextBytes } from '../messages/read-text.ts'

/**
 * Maximum bytes of each text (plain or HTML) of messages that are read together. A message with a
 * longer text is read again alone.
 */
const maxSharedTextBytes = 256 * 1024
/**
 * Maximum bytes of a message's attachments that are read before the message is written to the
 * export.
 */
const maxHeldBytes = 1024 * 1024

/** Reads a batch of messages for an export. The results are in the order of the message ids. */
export async function* readMessages(
  command: ApiCommand,
  ids: readonly string[],
  options: ExportReadOptions,
): AsyncGenerator<ExportReading> {
  const { api, signal } = command
  const limit = Math.min(options.maxBytes ?? maxTextBytes, maxTextBytes)
  const parts = { headers: true, attachments: true }
  const shared = { ...parts, maxTextBytes: Math.min(limit, maxSharedTextBytes) }
  const refusals = new Map<string, unknown>()
  const onRefusal: OnRefusal = ({ id, err }) => void refusals.set(id, err)
  const source = { api, listKnown: () => Promise.resolve([]), onRefusal, signal }
  const { messages } = await getMessages(source, ids, shared)
  const byId = new Map(messages.map((message) => [message.id, message]))
  for (const id of ids) {
    const message = byId.get(id)
    byId.delete(id)
    const isPartial = refusals.has(id)
    if (isPartial && !(message && options.acceptsPartial))
      yield { state: 'unreadable', error: refusals.get(id) }
    else if (!message) yield { state: 'missing' }
    else yield await describe(command, { message, limit }, options)
  }
}

async function describe(
  command: ApiCommand,
  { message: start, limit }: { message: ApiMessage; limit: number },
  { textType, includeAttachments, acceptsPartial }: ExportReadOptions,
): Promise<ExportReading> {
  const { api, signal } = command
  try {
    const isCut = start.texts?.hasMore === true && limit > maxSharedTextBytes
    const full = { headers: true, attachments: true, maxTextBytes: limit }
    const message = isCut ? await api.getMessage(start.id, full, signal) : start
    const names = await readNames(command)
    const detail = await describeMessage(command, { message, names }, { textType, maxBytes: limit })
    const [withBounces = detail] = await command.bounces.addTo(command.db, command, [detail])
    const contents = includeAttachments ? await readContents(command, message, acceptsPartial) : []
    return { state: 'read', message: withBounces, contents }
  } catch (error) {
    signal.throwIfAborted()
    if (isMailApiError(error, 'message-missing')) return { state: 'missing' }
    const isOfMessage = isMailApiError(error) && !isMailboxFailure(error) && !isTemporary(error)
    if (isOfMessage || isUnprocessable(error)) return { state: 'unreadable', error }
    throw error
  }
}

async function readContents(
  command: ApiCommand,
  message: ApiMessage,
  acceptsPartial: boolean,
): Promise<ExportContent[]> {
  const contents: ExportContent[] = []
  let held = 0
  for (const attachment of message.attachments ?? []) {
    const { size = Infinity } = attachment
    const isHeld = held + size <= maxHeldBytes
    if (isHeld) held += size
    const content = { id: message.id, attachment, isHeld, acceptsPartial }
    contents.push(await contentOf(command, content))
  }
  return contents
}

interface WantedContent extends Pick<ExportReadOptions, 'acceptsPartial'> {
  /** Id of the message that has the attachment. */
  id: string
  attachment: ApiAttachment
  /** True to read the content of the attachment into memory now. */
  isHeld: boolean
}

async function contentOf(
  { api, signal }: ApiCommand,
  { id, attachment, isHeld, acceptsPartial }: WantedContent,
): Promise<ExportContent> {
  const { partId, external, size = 0 } = attachment
  if (external) return { error: 'The attachment is a link to a file elsewhere' }
  if (size > maxAttachmentBytes) return { error: tooLargeText }
  const open = async () => (await api.downloadAttachment({ id, partId }, signal)).content
  return isHeld ? readContent(open, acceptsPartial) : { open }
}

/**
 * Reads the content of an attachment into memory. If the content is much larger than announced,
 * returns `open`, which reads the content while the message is written.
 */
async function readContent(
  open: () => Promise<AsyncIterable<Uint8Array>>,
  acceptsPartial: boolean,
): Promise<ExportContent> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of await open()) {
      chunks.push(chunk)
      length += chunk.length
      if (length > 2 * maxHeldBytes) return { open }
    }
  } catch (error) {
    const isOfContent = isMailApiError(error) && !isMailboxFailure(error) && !isTemporary(error)
    if (isOfContent && acceptsPartial) return { error: error.message }
    throw error
  }
  return { bytes: Buffer.concat(chunks) }
}

function isTemporary(error: unknown): boolean {
  return isMailApiError(error, 'unavailable')
}

function isUnprocessable(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'unprocessable'
}
