import { defined } from '@posthorn/contracts/defined'
import { type MessageContent, toBytes } from '@posthorn/mime'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import {
  type ApiSentMessage,
  type DraftQuery,
  incompleteId,
  type MailApiSending,
} from '../mail-api/sending.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import {
  attachmentsOf,
  createDraft,
  draftOf,
  encodedSize,
  isSentAsMime,
  maxMessageBytes,
  maxRequestBytes,
  removeDraft,
} from './drafts.ts'
import type { GraphClient } from './graph-client.ts'
import { entriesOf } from './list-entries.ts'
import { messagePath } from './lists.ts'
import { dateOf, isId } from './message-fields.ts'
import { postWithHeaders } from './message-headers.ts'
import { quoted } from './search-filter.ts'
import { toStructured } from './structured-message.ts'

const fields = 'id,changeKey,conversationId,isDraft,internetMessageId,sentDateTime'
const maxDrafts = 10
/** Maximum age at which the last sent message of a Graph thread counts as the sent draft. */
const recentMs = 10 * 60_000

/**
 * Sends messages over Microsoft Graph, which stores the sent copy. `now` returns the time in ms
 * since 1970.
 */
export function graphSending(client: GraphClient, now: () => number): MailApiSending {
  return {
    // The option `threadId` is ignored, because Graph finds the thread by the header fields of the
    // message.
    depositDraft: (content, { structured }, signal) =>
      createDraft(client, { content, structured }, signal),
    async releaseDraft(id, signal) {
      const path = `${messagePath(id)}/send`
      const request = { method: 'POST' as const, path, missing: 'message-missing' as const, signal }
      assertAccepted((await client.response(request)).status)
      return {}
    },
    findDrafts: (query, signal) => findDrafts(client, query, signal),
    async findSent({ messageId, messageIdHeader, threadId }, signal) {
      const own = await readMessage(client, messageId, signal)
      if (own) return own.isDraft === true ? undefined : sentOf(own)
      const byHeader =
        messageIdHeader === undefined
          ? []
          : await listSent(client, `internetMessageId eq ${quoted(messageIdHeader)}`, signal)
      const [sent] = byHeader
      if (sent || threadId === undefined) return sent && sentOf(sent)
      const filter = `conversationId eq ${quoted(threadId)}`
      const [last] = await listSent(client, filter, signal)
      return last && now() - sentTime(last) < recentMs ? sentOf(last) : undefined
    },
    async discardDraft(id, signal) {
      // Graph sends a draft without changing its id, so the id may by now belong to the sent
      // message, which must not be deleted.
      const message = await readMessage(client, id, signal)
      if (message?.isDraft === true) await removeDraft(client, id, signal)
    },
    async sendMessage(content, { structured = false }, signal) {
      signal.throwIfAborted()
      if (content.length > maxMessageBytes) throw tooLarge()
      const request = { method: 'POST' as const, path: '/sendMail', signal }
      if (await isSentAsMime(content, structured)) {
        const { status } = await client.response({ ...request, mime: await toBytes(content) })
        if (status === 202) return {}
      }
      return sendStructured(client, content, signal)
    },
    async omittedHeaders(content, { structured = false }) {
      if (await isSentAsMime(content, structured)) return []
      return (await toStructured(content)).headers.omitted
    },
  }
}

/**
 * Checks that Graph responded to a send request with status 202. With any other successful status,
 * Graph has not sent the message, or may not have.
 */
function assertAccepted(status: number): void {
  if (status !== 202)
    throw new MailApiError('unavailable', `The provider did not accept the message (${status})`)
}

async function sendStructured(
  client: GraphClient,
  content: MessageContent,
  signal: AbortSignal,
): Promise<ApiSentMessage> {
  const { message, headers, messageIdHeader, files } = await toStructured(content)
  if (encodedSize({ message, headers, files }) > maxRequestBytes) throw tooLarge()
  const attachments = await attachmentsOf(files)
  const whole = { ...message, ...defined({ internetMessageId: messageIdHeader, attachments }) }
  const { posted: status, ...rest } = await postWithHeaders(headers, async (members) => {
    const json = { message: { ...whole, ...members }, saveToSentItems: true }
    return (await client.response({ method: 'POST', path: '/sendMail', json, signal })).status
  })
  assertAccepted(status)
  return rest
}

function tooLarge(): MailApiError {
  return new MailApiError('too-large', 'The message is too large to be sent')
}

async function findDrafts(client: GraphClient, query: DraftQuery, signal: AbortSignal) {
  const candidates =
    'messageIdHeader' in query
      ? await listByHeader(client, query, signal)
      : [await readMessage(client, 'draftId' in query ? query.draftId : query.messageId, signal)]
  return candidates.filter((each) => each?.isDraft === true).map(draftOf)
}

async function listByHeader(
  client: GraphClient,
  { messageIdHeader, incomplete = false }: { messageIdHeader: string; incomplete?: boolean },
  signal: AbortSignal,
): Promise<GraphMessage[]> {
  const header = incomplete ? incompleteId(messageIdHeader) : messageIdHeader
  const query = {
    $select: fields,
    $filter: `internetMessageId eq ${quoted(header)}`,
    $top: String(maxDrafts),
  }
  const page = await client.json<{ value?: GraphMessage[] }>({
    // Incomplete drafts are searched in the whole mailbox, because uploads create drafts in any
    // folder.
    path: incomplete ? '/messages' : '/mailFolders/drafts/messages',
    query,
    signal,
  })
  return entriesOf(page).slice(0, maxDrafts)
}

/**
 * Reads a Graph message by id. Undefined if the message does not exist.
 *
 * @throws MailApiError `unavailable` for a response that does not show whether the message is a
 * draft
 */
async function readMessage(
  client: GraphClient,
  id: string,
  signal: AbortSignal,
): Promise<GraphMessage | undefined> {
  try {
    const message = await client.json<GraphMessage | undefined>({
      path: messagePath(id),
      query: { $select: fields },
      missing: 'message-missing',
      signal,
    })
    if (isId(message?.id) && typeof message.isDraft === 'boolean') return message
    throw new MailApiError('unavailable', 'The response does not describe a message')
  } catch (error) {
    if (isMailApiError(error, 'message-missing')) return undefined
    throw error
  }
}

/**
 * Lists messages in the Sent Items folder of Graph, latest first. Several messages may have the
 * same Message-ID.
 */
async function listSent(
  client: GraphClient,
  filter: string,
  signal: AbortSignal,
): Promise<GraphMessage[]> {
  const page = await client.json<{ value?: GraphMessage[] }>({
    path: '/mailFolders/sentitems/messages',
    query: { $select: fields, $filter: filter, $top: '50' },
    signal,
  })
  return entriesOf(page).sort((one, other) => sentTime(other) - sentTime(one))
}

function sentTime({ sentDateTime }: GraphMessage): number {
  return dateOf(sentDateTime)?.getTime() ?? 0
}

function sentOf({ id, conversationId, internetMessageId }: GraphMessage): ApiSentMessage {
  return defined({
    id: isId(id) ? id : undefined,
    threadId: isId(conversationId) ? conversationId : undefined,
    messageIdHeader: internetMessageId ?? undefined,
  })
}
