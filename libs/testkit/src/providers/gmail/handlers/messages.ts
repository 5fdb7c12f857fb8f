import type { GmailState, MailboxHandler } from '../gmail-state.ts'
import { GmailFailure, invalid, notFound } from '../failures.ts'
import type { FakeMessage, GmailMailbox } from '../mailbox.ts'
import { contentOf, partAt, toBase64 } from '../payload.ts'
import { describeMessage } from '../resources.ts'
import { pageOf } from '../pages.ts'
import { parseQuery } from '../query.ts'
import { insertMessage, sendMessage } from '../storing.ts'

type Body = Record<string, unknown>

const maxModified = 1_000

export function messageHandlers(gmail: GmailState): Record<string, MailboxHandler> {
  const listed = (mailbox: GmailMailbox, request: { query: URLSearchParams }) =>
    pageOf(gmail, searched(mailbox, request.query), request.query)
  return {
    'messages.list': (mailbox, request) => {
      const { entries, ...rest } = listed(mailbox, request)
      const messages = entries.map(({ id, threadId }) => ({ id, threadId }))
      return { body: { ...(messages.length > 0 && { messages }), ...rest } }
    },
    'messages.get': (mailbox, { params, query }) => {
      const message = mailbox.getMessage(params['id'] ?? '')
      if (message.hiddenGets-- > 0) throw notFound()
      return { body: describeMessage(gmail, message, query) }
    },
    'messages.attachments.get': (mailbox, { params }) => {
      const { messageId, partId } = gmail.attachmentIds.get(params['id'] ?? '') ?? {}
      if (messageId === undefined || messageId !== params['messageId']) throw notFound()
      const part = partAt(mailbox.getMessage(messageId).mime, partId ?? '')
      const content = part ? contentOf(part) : Buffer.alloc(0)
      return { body: { size: content.length, data: toBase64(content) } }
    },
    'messages.modify': (mailbox, { params, body }) => {
      const message = mailbox.getMessage(params['id'] ?? '')
      mailbox.modify(message, ...changeOf(body))
      return { body: describeMessage(gmail, message, new URLSearchParams('format=minimal')) }
    },
    'messages.batchModify': (mailbox, { body }) => {
      const { ids = [] } = body as { ids?: string[] }
      if (ids.length > maxModified) throw invalid('Number of ids cannot exceed 1000')
      const [add, remove] = changeOf(body)
      for (const id of [...add, ...remove]) mailbox.assertAssignable(id)
      const messages = ids.map((id) => mailbox.messages.get(id))
      if (messages.includes(undefined) && gmail.switches.refusesUnknownIds) throw notFound()
      for (const message of messages) if (message) mailbox.modify(message, add, remove)
      return {}
    },
    'messages.trash': (mailbox, { params, query }) => {
      const message = mailbox.getMessage(params['id'] ?? '')
      mailbox.changeLabels(message, ['TRASH'], ['INBOX'])
      return { body: describeMessage(gmail, message, query) }
    },
    'messages.untrash': (mailbox, { params, query }) => {
      const message = mailbox.getMessage(params['id'] ?? '')
      mailbox.changeLabels(message, [], ['TRASH'])
      return { body: describeMessage(gmail, message, query) }
    },
    'messages.delete': (mailbox, { params }) => {
      mailbox.remove(mailbox.getMessage(params['id'] ?? ''))
      return {}
    },
    'messages.insert': (mailbox, { body, query }) =>
      insertMessage(mailbox, { resource: body as Body, raw: rawOf(body), query }),
    'messages.send': (mailbox, { body }) =>
      sendMessage(gmail, mailbox, { resource: body as Body, raw: rawOf(body) }),
  }
}

function changeOf(body: unknown): [add: string[], remove: string[]] {
  const { addLabelIds = [], removeLabelIds = [] } = body as Record<string, string[]>
  return [addLabelIds, removeLabelIds]
}

/**
 * Source of a message in the JSON body of a Gmail request, in base64url. The alphabet of standard
 * base64 is refused.
 */
export function rawOf(body: unknown): Buffer {
  const { raw } = (body ?? {}) as { raw?: string }
  if (raw === undefined)
    throw new GmailFailure(
      400,
      'badRequest',
      "'raw' RFC822 payload message string or uploading message via /upload/* URL required",
    )
  if (/[+/]/.test(raw))
    throw new GmailFailure(400, 'invalid', `Invalid value for ByteString: ${raw.slice(0, 50)}`)
  return Buffer.from(raw, 'base64url')
}

/** Gmail messages that match the query parameters, newest first. */
export function* searched(mailbox: GmailMailbox, query: URLSearchParams): Generator<FakeMessage> {
  const labelIds = query.getAll('labelIds')
  for (const id of labelIds) if (!mailbox.labels.has(id)) throw invalid(`Invalid label: ${id}`)
  const hidden = ['SPAM', 'TRASH'].filter((id) => !labelIds.includes(id))
  const showsHidden = query.get('includeSpamTrash') === 'true'
  const word = (name: string) => name.toLowerCase().replace(/[\s/&|(){}"]/g, '-')
  const q = query.get('q') ?? ''
  const test = parseQuery(
    q,
    (text) => [...mailbox.labels.values()].find(({ name }) => word(name) === text)?.id,
  )
  for (const message of mailbox.list)
    if (
      labelIds.every((id) => message.labels.has(id)) &&
      (showsHidden || !hidden.some((id) => message.labels.has(id))) &&
      (q === '' || test({ ...message, size: message.raw.length }))
    )
      yield message
}
