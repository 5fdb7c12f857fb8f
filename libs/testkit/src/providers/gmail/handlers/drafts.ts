import type { GmailState, MailboxHandler } from '../gmail-state.ts'
import { notFound } from '../failures.ts'
import type { FakeMessage, GmailMailbox } from '../mailbox.ts'
import { pageOf } from '../pages.ts'
import { describeMessage } from '../resources.ts'
import { idsOf, saveDraft, type StoredRequest, transmit } from '../storing.ts'
import { rawOf, searched } from './messages.ts'

export function draftHandlers(gmail: GmailState): Record<string, MailboxHandler> {
  const resourceOf = (body: unknown) => (body ?? {}) as StoredRequest['resource']
  return {
    'drafts.create': (mailbox, { body }) => {
      const resource = resourceOf(body)
      return saveDraft(mailbox, { resource, raw: rawOf(resource['message']) })
    },
    'drafts.update': (mailbox, { params, body }) => {
      const draftId = params['id'] ?? ''
      draftMessage(mailbox, draftId)
      const resource = resourceOf(body)
      return saveDraft(mailbox, { resource, raw: rawOf(resource['message']), draftId })
    },
    'drafts.get': (mailbox, { params, query }) => {
      const message = draftMessage(mailbox, params['id'])
      return { body: { id: params['id'], message: describeMessage(gmail, message, query) } }
    },
    'drafts.list': (mailbox, { query }) => {
      const matches = [...searched(mailbox, query)].filter(({ labels }) => labels.has('DRAFT'))
      const { entries, ...rest } = pageOf(gmail, matches, query)
      const drafts = entries.map(({ id, threadId }) => ({
        id: draftIdOf(mailbox, id),
        message: { id, threadId },
      }))
      return { body: { ...(drafts.length > 0 && { drafts }), ...rest } }
    },
    'drafts.delete': (mailbox, { params }) => {
      mailbox.remove(draftMessage(mailbox, params['id']))
      mailbox.drafts.delete(params['id'] ?? '')
      return {}
    },
    'drafts.send': (mailbox, { body }) => {
      const { id = '' } = body as { id?: string }
      const draft = draftMessage(mailbox, id)
      const { raw, threadId } = draft
      const sent = transmit(gmail, mailbox, { raw, threadId })
      mailbox.remove(draft)
      mailbox.drafts.delete(id)
      return { body: idsOf(sent) }
    },
  }
}

function draftMessage(mailbox: GmailMailbox, id = ''): FakeMessage {
  const message = mailbox.messages.get(mailbox.drafts.get(id) ?? '')
  if (!message) throw notFound()
  return message
}

/**
 * Draft id of a Gmail message. A message that got the label DRAFT without being created as a draft
 * has a draft id, too.
 */
function draftIdOf(mailbox: GmailMailbox, messageId: string): string {
  for (const [id, message] of mailbox.drafts) if (message === messageId) return id
  const id = `r${BigInt(`0x${messageId}`)}`
  mailbox.drafts.set(id, messageId)
  return id
}
