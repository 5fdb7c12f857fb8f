import { maxGetIds } from '../mail-api/ids.ts'
import { MailApiError } from '../mail-api/errors.ts'
import type { ApiMessage, GetOptions } from '../mail-api/messages.ts'
import type { MailApiReads } from '../mail-api/reads.ts'
import type { GmailMessage, GmailProfile } from '../provider-types/gmail.ts'
import { listIds } from './lists/listing.ts'
import { presentOf } from './lists/lookups.ts'
import { downloadPart, downloadSource, readLargeText } from './messages/downloads.ts'
import { getParameters, toApiMessage } from './messages/message.ts'
import { isGmailId, messagePath, unreadableIds } from './messages/message-path.ts'
import { largeTexts, readParts, textsOf } from './messages/parts.ts'
import type { GmailRequests } from './requests.ts'
import { listSignatures } from './signatures.ts'

/** Message of 50 MiB without attachments, as base64. */
const maxMessageBytes = 72 * 1024 * 1024

/** Reading over the Gmail API. A page of `listMessages` has at most 100 entries: one get each. */
export function gmailReads(requests: GmailRequests): MailApiReads {
  const reads: MailApiReads = {
    async profile(signal) {
      const { emailAddress } = await requests.json<GmailProfile>({
        operation: 'getProfile',
        path: '/profile',
        fields: 'emailAddress',
        signal,
      })
      if (typeof emailAddress === 'string' && emailAddress !== '') return { address: emailAddress }
      throw new MailApiError('unavailable', 'The profile has no address')
    },

    listIds: (query, page, signal) => listIds(requests, { query, page }, signal),

    async listMessages(query, page, signal) {
      const limit = Math.min(page.limit, maxGetIds)
      const { entries, ...rest } = await listIds(
        requests,
        { query, page: { ...page, limit } },
        signal,
      )
      const ids = entries.map(({ id }) => id)
      return { ...rest, entries: await reads.getMessages(ids, {}, signal) }
    },

    async getMessage(id, options, signal) {
      const message = await unreadableIds(() =>
        requests.json<GmailMessage>({
          operation: 'messages.get',
          path: messagePath(id),
          ...getParameters(options),
          maxBytes: maxMessageBytes,
          signal,
        }),
      )
      const read = await withTexts(requests, { message, options }, signal)
      if (!read) throw new MailApiError('unavailable', 'The message has no id')
      return read
    },

    async getMessages(ids, options, signal) {
      signal.throwIfAborted()
      const outcomes = await requests.batch<GmailMessage>({
        operation: 'messages.get',
        paths: ids.filter(isGmailId).map(messagePath),
        ...getParameters(options),
        signal,
      })
      const messages: ApiMessage[] = []
      for (const outcome of outcomes) {
        const message = presentOf(outcome)
        const read = message && (await withTexts(requests, { message, options }, signal))
        if (read) messages.push(read)
      }
      return messages
    },

    downloadSource: (id, signal) => downloadSource(requests, id, signal),
    downloadAttachment: (part, signal) => downloadPart(requests, part, signal),
    signatures: (signal) => listSignatures(requests, signal),
  }
  return reads
}

async function withTexts(
  requests: GmailRequests,
  { message, options }: { message: Partial<GmailMessage>; options: GetOptions },
  signal: AbortSignal,
): Promise<ApiMessage | undefined> {
  const read = toApiMessage(message, options)
  const { maxTextBytes: maxBytes } = options
  if (!read || maxBytes === undefined) return read
  const parts = message.payload ? readParts(message.payload) : []
  for (const part of largeTexts(parts))
    part.data = await readLargeText(
      requests,
      { id: read.id, part },
      { maxBytes: maxBytes + 1, signal },
    )
  return { ...read, texts: textsOf(parts, maxBytes) }
}
