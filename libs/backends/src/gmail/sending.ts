import { apiAccountTypes } from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import { bytesOf } from '../mail-api/content.ts'
import { incompleteResponse, isMailApiError, MailApiError } from '../mail-api/errors.ts'
import { isApiId } from '../mail-api/ids.ts'
import type { ApiDraft, ApiSentMessage, DraftQuery, MailApiSending } from '../mail-api/sending.ts'
import type {
  GmailDraft,
  GmailListDraftsResponse,
  GmailMessage,
  GmailThread,
} from '../provider-types/gmail.ts'
import { relabelled } from './errors.ts'
import { entriesOf, readPage, tokenOf } from './lists/listing.ts'
import { sentHeadersOf } from './messages/message.ts'
import { isGmailId, messagePath } from './messages/message-path.ts'
import { type GmailRequests, idPath } from './requests.ts'
import { messageIdQuery } from './lists/search.ts'
import { type MessageUpload, uploadMessage } from './uploads.ts'

const { maxSentBytes } = apiAccountTypes.gmail.mailbox

/** Maximum pages of drafts that are compared with a message id: 20 pages of 500 drafts. */
const maxDraftPages = 20
const maxDrafts = 10
const maxThreadBytes = 16 * 1024 * 1024
const sentFields = 'id,threadId,payload/headers'
const sentHeaders = { format: 'metadata', metadataHeaders: ['Message-ID', 'From'] } as const

/** Sends messages as Gmail drafts. Gmail replaces the Message-ID and stores the sent copy. */
export function gmailSending(requests: GmailRequests): MailApiSending {
  return {
    async depositDraft(content, { threadId }, signal) {
      const draft = await upload<GmailDraft>(requests, {
        operation: 'drafts.create',
        path: '/drafts',
        content: await bytesOf(content, maxSentBytes),
        ...defined({ threadId }),
        fields: 'id,message(id,threadId)',
        signal,
      })
      return toDraft(draft)
    },

    async releaseDraft(id, signal) {
      draftPath(id)
      const message = await requests
        .json<GmailMessage>({
          operation: 'drafts.send',
          method: 'POST',
          path: '/drafts/send',
          fields: 'id,threadId',
          body: { id },
          signal,
        })
        .catch((error: unknown) => {
          throw asSendError(error)
        })
      return withMessageId(requests, message, signal)
    },

    findDrafts: (query, signal) => findDrafts(requests, query, signal),
    findSent: (draft, signal) => findSent(requests, draft, signal),

    async discardDraft(id, signal) {
      if (!isApiId(id)) return
      try {
        await requests.json({
          operation: 'drafts.delete',
          method: 'DELETE',
          path: draftPath(id),
          repeatable: true,
          signal,
        })
      } catch (error) {
        if (!isMailApiError(error, 'message-missing')) throw error
      }
    },

    async sendMessage(content, { threadId }, signal) {
      const message = await upload<GmailMessage>(requests, {
        operation: 'messages.send',
        path: '/messages/send',
        content: await bytesOf(content, maxSentBytes),
        ...defined({ threadId }),
        fields: 'id,threadId',
        signal,
      })
      return sentMessage(message)
    },
  }
}

function draftPath(id: string): string {
  return idPath('drafts', id, 'message-missing')
}

/** Uploads a message, without the thread if Gmail refuses the thread of another mailbox. */
async function upload<T extends object>(
  requests: GmailRequests,
  { threadId, ...rest }: MessageUpload,
): Promise<Partial<T>> {
  try {
    return await uploadMessage<T>(requests, { ...rest, ...defined({ threadId }) })
  } catch (error) {
    const isRefused = isMailApiError(error, 'message-missing') || isMailApiError(error, 'refused')
    if (threadId !== undefined && isRefused) return upload<T>(requests, rest)
    throw asSendError(error)
  }
}

/** Error of sending over Gmail, which uses `invalidArgument` for refused recipients only. */
function asSendError(error: unknown): unknown {
  return relabelled(error, {
    400: (reason) => (reason === 'invalidargument' ? 'invalid-recipients' : undefined),
    passesStatus: false,
  })
}

/** Adds the final Message-ID to Gmail's result. Ignores failures, because the message was sent. */
async function withMessageId(
  requests: GmailRequests,
  message: Partial<GmailMessage>,
  signal: AbortSignal,
): Promise<ApiSentMessage> {
  const sent = sentMessage(message)
  if (sent.id === undefined) return sent
  try {
    return sentMessage(await readSent(requests, sent.id, signal))
  } catch {
    return sent
  }
}

function readSent(
  requests: GmailRequests,
  id: string,
  signal: AbortSignal,
): Promise<Partial<GmailMessage>> {
  return requests.json<GmailMessage>({
    operation: 'messages.get',
    path: messagePath(id),
    query: sentHeaders,
    fields: sentFields,
    signal,
  })
}

function sentMessage(message: Partial<GmailMessage>): ApiSentMessage {
  const { id = '', threadId = '' } = message
  return defined({
    id: isGmailId(id) ? id : undefined,
    threadId: isGmailId(threadId) ? threadId : undefined,
    ...sentHeadersOf(message),
  })
}

/**
 * Converts a Gmail draft.
 * @throws MailApiError without an id: a draft left out would count as sent
 */
function toDraft({ id = '', message }: Partial<GmailDraft>): ApiDraft {
  const { id: messageId = '', threadId } = message ?? {}
  if (isApiId(id) && isGmailId(messageId)) return defined({ id, messageId, threadId })
  throw new MailApiError('unavailable', 'The response has no draft id')
}

async function findDrafts(
  requests: GmailRequests,
  query: DraftQuery,
  signal: AbortSignal,
): Promise<ApiDraft[]> {
  if ('draftId' in query) return findDraft(requests, query.draftId, signal)
  if ('messageIdHeader' in query) {
    // The search for incomplete drafts finds none, because Gmail creates a draft with one request.
    if (query.incomplete) return []
    return findByMessageId(requests, query.messageIdHeader, signal)
  }
  const isWanted = ({ messageId }: ApiDraft) => messageId === query.messageId
  const indexed = query.header ? await findByMessageId(requests, query.header, signal) : []
  if (indexed.some(isWanted)) return indexed.filter(isWanted)
  let pageToken: string | undefined
  for (let pages = 0; pages < maxDraftPages; pages++) {
    const page = await listDrafts(requests, { maxResults: 500, pageToken }, signal)
    const matches = page.drafts.filter(isWanted)
    if (matches.length > 0) return matches
    pageToken = page.nextPageToken
    if (pageToken === undefined) return []
  }
  throw new MailApiError('refused', 'The mailbox has too many drafts.')
}

async function findByMessageId(
  requests: GmailRequests,
  header: string,
  signal: AbortSignal,
): Promise<ApiDraft[]> {
  const q = messageIdQuery(header)
  if (q === undefined) return []
  const { drafts } = await listDrafts(requests, { q, maxResults: maxDrafts }, signal)
  return drafts.slice(0, maxDrafts)
}

async function findDraft(
  requests: GmailRequests,
  id: string,
  signal: AbortSignal,
): Promise<ApiDraft[]> {
  if (!isApiId(id)) return []
  try {
    const draft = await requests.json<GmailDraft>({
      operation: 'drafts.get',
      path: draftPath(id),
      query: { format: 'minimal' },
      fields: 'id,message(id,threadId)',
      signal,
    })
    return [toDraft(draft)]
  } catch (error) {
    if (isMailApiError(error, 'message-missing')) return []
    throw error
  }
}

async function listDrafts(
  requests: GmailRequests,
  query: { q?: string; maxResults: number; pageToken?: string | undefined },
  signal: AbortSignal,
): Promise<{ drafts: ApiDraft[]; nextPageToken: string | undefined }> {
  const list = await requests.json<GmailListDraftsResponse>({
    operation: 'drafts.list',
    path: '/drafts',
    query,
    fields: 'drafts(id,message(id,threadId)),nextPageToken,resultSizeEstimate',
    signal,
  })
  return {
    drafts: entriesOf(list, list.drafts).map(toDraft),
    nextPageToken: tokenOf(list.nextPageToken),
  }
}

/**
 * Sent message that a Gmail draft became: by its Message-ID if Gmail kept it, otherwise the first
 * message in the thread that was sent after the draft was stored. Message ids rise with time.
 */
async function findSent(
  requests: GmailRequests,
  draft: ApiDraft & { messageIdHeader?: string },
  signal: AbortSignal,
): Promise<ApiSentMessage | undefined> {
  const byHeader =
    draft.messageIdHeader && (await findByHeader(requests, draft.messageIdHeader, signal))
  if (byHeader) return sentMessage(await readSent(requests, byHeader, signal))
  const { threadId = '', messageId } = draft
  if (!isGmailId(threadId) || !isGmailId(messageId)) return undefined
  const isLater = ({ id = '' }: GmailMessage) => isGmailId(id) && numberOf(id) > numberOf(messageId)
  const [sent] = (await readThread(requests, threadId, signal))
    .filter((message) => message.labelIds?.includes('SENT') && isLater(message))
    .sort((one, other) => (numberOf(one.id ?? '0') < numberOf(other.id ?? '0') ? -1 : 1))
  return sent && sentMessage(sent)
}

async function findByHeader(
  requests: GmailRequests,
  header: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const q = messageIdQuery(header)
  if (q === undefined) return undefined
  const query = { labelIds: ['SENT'], q }
  const { entries } = await readPage(requests, { query, page: { limit: 1 } }, signal)
  return entries[0]?.id
}

async function readThread(
  requests: GmailRequests,
  id: string,
  signal: AbortSignal,
): Promise<GmailMessage[]> {
  try {
    const { messages } = await requests.json<GmailThread>({
      operation: 'threads.get',
      path: `/threads/${id}`,
      query: sentHeaders,
      fields: 'messages(id,threadId,labelIds,payload/headers)',
      maxBytes: maxThreadBytes,
      signal,
    })
    if (!messages) throw incompleteResponse('The thread of Gmail has no messages')
    return messages
  } catch (error) {
    if (isMailApiError(error, 'message-missing')) return []
    throw error
  }
}

function numberOf(id: string): bigint {
  return BigInt(`0x${id}`)
}
