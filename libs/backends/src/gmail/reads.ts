import { defined } from '@posthorn/contracts/defined'
import { type Backoff, backoff, sleep } from '@posthorn/flow'
import { maxGetIds } from '../mail-api/ids.ts'
import { MailApiError } from '../mail-api/errors.ts'
import type { ApiMessage, GetOptions } from '../mail-api/messages.ts'
import type { MailApiReads } from '../mail-api/reads.ts'
import type { GmailMessage, GmailProfile } from '../provider-types/gmail.ts'
import { listIds } from './lists/listing.ts'
import { presentOf } from './lists/lookups.ts'
import { assertComplete, incompleteMessage } from './messages/completeness.ts'
import { downloadPart, downloadSource, readLargeText } from './messages/downloads.ts'
import { getParameters, toApiMessage } from './messages/message.ts'
import { isGmailId, messagePath, unreadableIds } from './messages/message-path.ts'
import { largeTexts, readParts, textsOf } from './messages/parts.ts'
import type { GmailRequests } from './requests.ts'
import { listSignatures } from './signatures.ts'

/** Maximum size of Gmail's response with one message: 50 MiB without attachments, as base64. */
const maxMessageBytes = 72 * 1024 * 1024

/** Maximum number of further requests for listed messages that Gmail reports as missing. */
const maxLateGets = 3
const lateDelayMs = backoff({ baseMs: 250, maxMs: 1_000, jitter: 0.3 })

/**
 * Reads messages over the Gmail API. A page of `listMessages` has at most 100 entries: each entry
 * costs one get.
 */
export function gmailReads(requests: GmailRequests): MailApiReads {
  const reads: MailApiReads = {
    async profile(signal) {
      const { emailAddress, messagesTotal } = await requests.json<GmailProfile>({
        operation: 'getProfile',
        path: '/profile',
        fields: 'emailAddress,messagesTotal',
        signal,
      })
      if (typeof emailAddress === 'string' && emailAddress !== '')
        return defined({ address: emailAddress, messages: messagesTotal })
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
      return {
        ...rest,
        entries: await getListed(reads, { ids, delayMs: requests.delayMs }, signal),
      }
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
      return withTexts(requests, { message, options }, signal)
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
        if (message) messages.push(await withTexts(requests, { message, options }, signal))
      }
      return messages
    },

    downloadSource: (id, signal) => downloadSource(requests, id, signal),
    downloadAttachment: (part, signal) => downloadPart(requests, part, signal),
    signatures: (signal) => listSignatures(requests, signal),
  }
  return reads
}

/**
 * Gets the messages of a Gmail list, in the order of the list. The list may be newer than the Gmail
 * server that gets a message, so missing messages are requested again. Messages that stay missing
 * were deleted, and are left out.
 */
async function getListed(
  reads: Pick<MailApiReads, 'getMessages'>,
  { ids, delayMs = lateDelayMs }: { ids: readonly string[]; delayMs?: Backoff | undefined },
  signal: AbortSignal,
): Promise<ApiMessage[]> {
  const byId = new Map<string, ApiMessage>()
  let missing = ids
  for (let attempt = 0; missing.length > 0 && attempt <= maxLateGets; attempt++) {
    if (attempt > 0) await sleep(delayMs(attempt), signal)
    for (const message of await reads.getMessages(missing, {}, signal))
      byId.set(message.id, message)
    missing = missing.filter((id) => !byId.has(id))
  }
  return ids.flatMap((id) => byId.get(id) ?? [])
}

async function withTexts(
  requests: GmailRequests,
  { message, options }: { message: Partial<GmailMessage>; options: GetOptions },
  signal: AbortSignal,
): Promise<ApiMessage> {
  const read = toApiMessage(message, options)
  if (!read) throw incompleteMessage()
  assertComplete(message, options)
  const { maxTextBytes: maxBytes } = options
  if (maxBytes === undefined) return read
  const parts = message.payload ? readParts(message.payload) : []
  for (const part of largeTexts(parts))
    part.data = await readLargeText(
      requests,
      { id: read.id, part },
      { maxBytes: maxBytes + 1, signal },
    )
  return { ...read, texts: textsOf(parts, maxBytes) }
}
