import type { MailboxHandler } from '../gmail-state.ts'
import { invalid, notFound } from '../failures.ts'
import type { FakeLabel, GmailMailbox } from '../mailbox.ts'

export function labelHandlers(): Record<string, MailboxHandler> {
  const rename: MailboxHandler = (mailbox, { params, body }) => {
    const label = userLabel(mailbox, params['id'])
    return { body: mailbox.setLabel({ ...label, ...(body as Partial<FakeLabel>), id: label.id }) }
  }
  return {
    'labels.list': ({ labels }) => ({ body: { labels: [...labels.values()] } }),
    'labels.get': (mailbox, { params }) => {
      const label = mailbox.labels.get(params['id'] ?? '')
      if (!label) throw notFound()
      return { body: { ...label, ...mailbox.countsOf(label.id) } }
    },
    'labels.create': (mailbox, { body }) => {
      const { name = '', ...rest } = body as Partial<FakeLabel>
      const id = mailbox.newLabelId()
      return { body: mailbox.setLabel({ ...rest, name, id, type: 'user' }) }
    },
    'labels.patch': rename,
    'labels.update': rename,
    'labels.delete': (mailbox, { params }) => {
      mailbox.deleteLabel(userLabel(mailbox, params['id']).id)
      return {}
    },
  }
}

function userLabel(mailbox: GmailMailbox, id = ''): FakeLabel {
  const label = mailbox.labels.get(id)
  if (!label) throw notFound()
  if (label.type === 'system') throw invalid('Invalid delete request')
  return label
}
