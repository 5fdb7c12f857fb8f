import { defined } from '@posthorn/contracts/defined'
import { incompleteResponse, isMailApiError } from '../mail-api/errors.ts'
import { maxGetIds } from '../mail-api/ids.ts'
import type { ApiMessage, GetOptions } from '../mail-api/messages.ts'
import type { MailApiReads } from '../mail-api/reads.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import { downloadAttachment, downloadOf, listAttachments } from './attachments.ts'
import type { GraphClient } from './graph-client.ts'
import { listPage, messagePath, readMessages } from './lists.ts'
import { isId, selectOf, sizeExpand, toMessage } from './message-fields.ts'

/**
 * Properties of Graph messages that are read to list message ids and to check messages against a
 * search.
 */
const idFields = [
  'id,conversationId,parentFolderId,receivedDateTime,sentDateTime,isRead,isDraft,flag,from',
  'subject,categories,internetMessageId',
].join(',')

/**
 * Reads messages of Microsoft Graph. Texts and attachments are requested only if the options ask
 * for them.
 */
export function graphReads(client: GraphClient): MailApiReads {
  return {
    async profile(signal) {
      // A request for the inbox shows that the Graph mailbox exists. The address is read from the
      // login, because no mail resource of Graph contains it. A missing inbox is a temporary
      // failure: parts of a new mailbox are missing for up to 15 minutes.
      const missing = 'unavailable' as const
      await client.json({ path: '/mailFolders/inbox', query: { $select: 'id' }, missing, signal })
      return { address: await client.mailbox(signal) }
    },
    async listIds(query, page, signal) {
      const { entries, ...rest } = await listPage(client, { query, page, select: idFields, signal })
      return {
        ...rest,
        entries: entries.flatMap(({ id, conversationId }) =>
          isId(id) ? [{ id, ...(isId(conversationId) && { threadId: conversationId }) }] : [],
        ),
      }
    },
    async listMessages(query, page, signal) {
      const select = selectOf({})
      const { entries, ...rest } = await listPage(client, { query, page, select, signal })
      return { ...rest, entries: entries.map((each) => converted(each, {})) }
    },
    async getMessage(id, options, signal) {
      const query = { $select: selectOf(options), $expand: sizeExpand }
      const request = { path: messagePath(id), query, signal }
      // A Graph message and its attachments are read concurrently, because a caller waits for them.
      // The attachments are requested even if the message has none.
      const [message, attachments] = await Promise.all([
        client.json<GraphMessage>(request),
        options.attachments ? listAttachments(client, id, signal) : undefined,
      ])
      return { ...converted(message, options), ...defined({ attachments }) }
    },
    async getMessages(ids, options, signal) {
      const wanted = ids.slice(0, maxGetIds)
      const select = selectOf(options)
      const request = { ids: wanted, select, expand: sizeExpand, signal }
      const messages = await readMessages(client, request)
      const results: ApiMessage[] = []
      for (let at = 0; at < messages.length; at += client.batchSize) {
        const group = messages.slice(at, at + client.batchSize)
        const work = group.map((message) => complete(client, { message, options, signal }))
        results.push(...(await Promise.all(work)).flat())
      }
      return results
    },
    async downloadSource(id, signal) {
      const path = `${messagePath(id)}/$value`
      const response = await client.open({ path, signal })
      const { content, ...download } = downloadOf(response, { contentType: 'message/rfc822' })
      return { ...download, content: await beginning(content) }
    },
    downloadAttachment: (part, signal) => downloadAttachment(client, part, signal),
  }
}

/**
 * Content of a Graph message, after its first chunk has arrived. An empty content is refused,
 * because the source of a message is never empty.
 * @throws MailApiError `unavailable` with `incomplete`
 */
async function beginning(content: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks = content[Symbol.asyncIterator]() as AsyncGenerator<Uint8Array>
  const first = await chunks.next()
  if (first.done) throw incompleteResponse('The provider sent a message without content')
  return (async function* () {
    yield first.value
    yield* chunks
  })()
}

/**
 * Adds the attachments to a Graph message. Returns an empty list if the message was deleted after
 * it was read.
 */
async function complete(
  client: GraphClient,
  { message, options, signal }: { message: GraphMessage; options: GetOptions; signal: AbortSignal },
): Promise<ApiMessage[]> {
  const result = converted(message, options)
  if (!options.attachments) return [result]
  if (!mayHaveFiles(message)) return [{ ...result, attachments: [] }]
  try {
    return [{ ...result, attachments: await listAttachments(client, result.id, signal) }]
  } catch (error) {
    if (isMailApiError(error, 'message-missing')) return []
    throw error
  }
}

function converted(message: GraphMessage, options: GetOptions): ApiMessage {
  const result = toMessage(message, options)
  if (!result) throw incompleteResponse('The provider sent a message without an id')
  return result
}

/**
 * True if a Graph message may have attachments. `hasAttachments` ignores inline files, which are
 * recognized by the text of the message.
 */
function mayHaveFiles({ hasAttachments, body }: GraphMessage): boolean {
  return hasAttachments !== false || !body?.content || /\bcid:/i.test(body.content)
}
