import type { MessageDetail, MessageEntry, Search } from '../../../data/mail.ts'
import type { PageQuery } from '../../../routing/query-text.ts'

/** Fields of a message in which the page searches. */
export const searchFields = ['subject', 'from', 'to', 'body'] as const
export type SearchField = (typeof searchFields)[number]

/** States by which the page filters messages, with their search terms. */
const states: Readonly<Record<string, Search>> = {
  unread: { unseen: true },
  flagged: { flagged: true },
}

/** Field of a message in which the query of a page searches. */
export function fieldOf({ field }: PageQuery): SearchField {
  return searchFields.find((each) => each === field) ?? 'subject'
}

/** Search for messages that a page's query describes. Undefined: the page lists all messages. */
export function searchOf(query: PageQuery): Search | undefined {
  const { text = '', state = '' } = query
  const terms = { ...(text !== '' && { [fieldOf(query)]: text }), ...states[state] }
  return Object.keys(terms).length === 0 ? undefined : terms
}

/** Members of a page's query that belong to the list of messages, for links back to the list. */
export function listQuery(query: PageQuery): PageQuery {
  const { path = '', text = '', field = '', state = '', page = '', cursor = '' } = query
  return { path, text, field, state, page, cursor }
}

/**
 * Search that selects messages by their ids: UIDs for IMAP, permanent ids for accounts on a mail
 * API.
 */
export function selectionOf(messages: readonly Pick<MessageEntry, 'id' | 'uid'>[]): Search {
  const uids = messages.map(({ uid }) => uid)
  return uids.every((uid) => uid !== undefined)
    ? { uid: uids.join(',') }
    : { emailIds: messages.map(({ id }) => id) }
}

/** Name and address of an author or recipient, as a text. */
export function addressText(address: { name?: string; address?: string } | undefined): string {
  const { name = '', address: mail = '' } = address ?? {}
  if (name === '' || name === mail) return mail
  return mail === '' ? name : `${name} <${mail}>`
}

/** Subject of a message for links and titles, which must not be empty. */
export function subjectText({ subject }: Pick<MessageEntry, 'subject'>): string {
  return subject?.trim() ? subject : '(no subject)'
}

/** Form in which a page shows a message. */
export type MessageView = 'text' | 'html' | 'headers'

/** Forms in which a page can show a message. The HTML is offered only if the message has HTML. */
export function viewsOf({ text }: Pick<MessageDetail, 'text'>): readonly MessageView[] {
  return text?.encodedSize.html === undefined ? ['text', 'headers'] : ['text', 'html', 'headers']
}

/** Form in which a page shows a message. Plain text is preferred, because it loads nothing. */
export function viewOfMessage({ view }: PageQuery, message: Pick<MessageDetail, 'text'>) {
  const views = viewsOf(message)
  const chosen = views.find((each) => each === view)
  if (chosen !== undefined) return chosen
  return message.text?.plain === undefined && views.includes('html') ? 'html' : 'text'
}
