import { MailApiError, type MessageQuery } from '@posthorn/backends/mail-api'
import type { ModelMessage, ModelStore } from './store.ts'

type Terms = NonNullable<MessageQuery['search']>
type Test = (message: ModelMessage) => boolean

/**
 * Functions that check a message of the model mailbox against a search term. The model supports the
 * terms that both providers have, and terms about labels.
 */
const tests: { [K in keyof Terms]?: (value: NonNullable<Terms[K]>) => Test } = {
  unseen: (value) => (message) => message.flags.unseen === value,
  seen: (value) => (message) => message.flags.unseen !== value,
  flagged: (value) => (message) => message.flags.flagged === value,
  from: (value) => (message) => contains(message.content.header('from'), value),
  subject: (value) => (message) => contains(message.content.header('subject'), value),
  body: (value) => (message) => contains(message.content.texts(Infinity).plain, value),
  before: (value) => (message) => message.receivedAt < value,
  since: (value) => (message) => message.receivedAt >= value,
  threadId: (value) => (message) => message.threadId === value,
  emailId: (value) => (message) => message.id === value,
  emailIds: (value) => (message) => value.includes(message.id),
  labels:
    ({ has = [], not = [] }) =>
    ({ labels }) =>
      has.every((label) => labels.has(label)) && !not.some((label) => labels.has(label)),
  header: (value) => {
    const entries = Object.entries(value)
    const [name, text] = entries[0] ?? ['', '']
    if (name.toLowerCase() !== 'message-id' || typeof text !== 'string' || entries.length > 1)
      throw unsupportedTerm('header')
    return (message) => message.content.header('message-id') === text
  },
}

/** Messages of the model mailbox that match a search, newest first. */
export function searchModel(
  store: ModelStore,
  { folderId, search = {} }: MessageQuery,
): ModelMessage[] {
  if (folderId !== undefined) store.getFolder(folderId)
  const terms = search.emailIds ? { emailIds: search.emailIds } : search
  const all = Object.entries(terms).map(([name, value]) => {
    const test = tests[name as keyof Terms] as ((value: unknown) => Test) | undefined
    if (!test) throw unsupportedTerm(name)
    return test(value)
  })
  if (store.placement === 'labels') assertLabels(store, search.labels)
  return store
    .list(folderId)
    .filter((message) => folderId !== undefined || !isHidden(store, message))
    .filter((message) => all.every((test) => test(message)))
}

/**
 * True for a message in trash or junk. In mailboxes with labels (placement `labels`), such messages
 * are not part of the whole mailbox.
 */
function isHidden(store: ModelStore, message: ModelMessage): boolean {
  if (store.placement === 'folder') return false
  return ['\\Trash', '\\Junk'].some((use) => {
    const folder = store.findFolder(use)
    return folder !== undefined && message.labels.has(folder.id)
  })
}

function assertLabels(store: ModelStore, labels: Terms['labels']): void {
  for (const label of [...(labels?.has ?? []), ...(labels?.not ?? [])])
    if (!store.folders.has(label)) throw new MailApiError('label-missing', `No label ${label}.`)
}

function unsupportedTerm(name: string): MailApiError {
  return new MailApiError('unsupported-term', `Searching by ${name} is not supported.`)
}

function contains(text = '', part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}
