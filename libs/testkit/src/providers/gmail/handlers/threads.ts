import type { GmailState, MailboxHandler } from '../gmail-state.ts'
import { notFound } from '../failures.ts'
import { describeMessage } from '../resources.ts'

export function threadHandlers(gmail: GmailState): Record<string, MailboxHandler> {
  return {
    'threads.get': (mailbox, { params, query }) => {
      const { id } = params
      const messages = mailbox.list.filter(({ threadId }) => threadId === id).reverse()
      if (messages.length === 0) throw notFound()
      const described = messages.map((message) => describeMessage(gmail, message, query))
      return { body: { id, historyId: String(mailbox.historyId), messages: described } }
    },
  }
}
