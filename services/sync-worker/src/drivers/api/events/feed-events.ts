import { defined } from '@posthorn/contracts/defined'
import type { NamedFolder, NewEvent } from '@posthorn/db'
import {
  apiMessageKey,
  type EventAccount,
  type EventKey,
  type EventMailbox,
  mailboxEvent,
} from '../../../events/mailbox-event.ts'
import type { IndexedMessage } from '../index/indexed-message.ts'
import { type FolderNames, toMailbox } from './folder-names.ts'

/**
 * Context of an event: the account, the names of the account's folders, and the number of the
 * commit that stores the event.
 */
export interface FeedEventContext {
  account: EventAccount
  names: FolderNames
  /**
   * Number of the commit that stores the event. Makes event ids unique, because a message can
   * return to a folder, and a flag can change repeatedly.
   */
  epoch: number
}

/** Event key of an event about a message. Distinguishes events of the same name. */
export function messageKey(id: string, { epoch }: FeedEventContext): EventKey {
  return apiMessageKey({ id, epoch })
}

/**
 * Creates the event of a message that left its mailbox. Contains the last indexed state of the
 * message, because the message cannot be read any more.
 */
export function messageDeleted(context: FeedEventContext, state: IndexedMessage): NewEvent {
  const { account, names } = context
  const { id, threadId, labels } = state
  const data = defined({
    id,
    threadId,
    flags: flagNames(state),
    labels: names.labelsOf(labels),
    category: names.categoryOf(state),
  })
  return mailboxEvent(account, names.mailboxOf(state.folderId), {
    event: 'messageDeleted',
    key: messageKey(id, context),
    data,
  })
}

/**
 * Creates the event of a changed message. Undefined if events do not show the change, such as a
 * change of the inbox tab.
 */
export function messageUpdated(
  context: FeedEventContext,
  state: IndexedMessage,
  before: IndexedMessage,
): NewEvent | undefined {
  const { account, names } = context
  const changes = defined({
    flags: changeOf(flagNames(before), flagNames(state)),
    labels: changeOf(names.labelsOf(before.labels), names.labelsOf(state.labels)),
  })
  if (Object.keys(changes).length === 0) return undefined
  return mailboxEvent(account, names.mailboxOf(state.folderId), {
    event: 'messageUpdated',
    key: messageKey(state.id, context),
    data: { id: state.id, changes },
  })
}

/** Repeated reads of a message that a feed (list of changes) named but the provider lacked. */
export interface GetRetries {
  missingRetries: number
  /**
   * Total delay of the repeated reads of a message that the provider did not return, in
   * milliseconds.
   */
  missingDelay: number
}

export function messageMissing(
  context: FeedEventContext,
  message: { id: string; folder: string | null } & GetRetries,
): NewEvent {
  const { folder, ...data } = message
  return mailboxEvent(context.account, context.names.mailboxOf(folder), {
    event: 'messageMissing',
    key: messageKey(message.id, context),
    data,
  })
}

/** Creates the event of a lost message index, without a UIDVALIDITY, which mail APIs lack. */
export function mailboxReset(
  { account, epoch }: Pick<FeedEventContext, 'account' | 'epoch'>,
  mailbox: EventMailbox,
): NewEvent {
  const data = { ...describeMailbox(mailbox), reason: 'syncStateLost' }
  return mailboxEvent(account, mailbox, { event: 'mailboxReset', key: [epoch], data })
}

/**
 * Creates the events of folders and labels that were created, deleted or renamed since the stored
 * list of folders. The tabs of the Gmail inbox have no events.
 */
export function folderEvents(
  { account, epoch }: Pick<FeedEventContext, 'account' | 'epoch'>,
  before: readonly NamedFolder[],
  after: readonly NamedFolder[],
): NewEvent[] {
  const shown = ({ former, category }: NamedFolder) => !former && category === undefined
  const keyOf = ({ id, path }: NamedFolder) => JSON.stringify([id, path])
  const [old, current] = [before.filter(shown), after.filter(shown)]
  const [oldKeys, currentKeys] = [new Set(old.map(keyOf)), new Set(current.map(keyOf))]
  const eventOf = (event: string) => (folder: NamedFolder) => {
    const mailbox = toMailbox(folder)
    const data = describeMailbox(mailbox)
    return mailboxEvent(account, mailbox, { event, key: [folder.id, epoch], data })
  }
  return [
    ...old.filter((folder) => !currentKeys.has(keyOf(folder))).map(eventOf('mailboxDeleted')),
    ...current.filter((folder) => !oldKeys.has(keyOf(folder))).map(eventOf('mailboxNew')),
  ]
}

function describeMailbox({ path, specialUse }: EventMailbox) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { path, name, specialUse: specialUse ?? (false as const) }
}

/** Flags of a message that mail APIs support, by their names in RFC 9051 §2.3.2, sorted. */
export function flagNames({
  unseen,
  flagged,
  draft,
}: Pick<IndexedMessage, 'unseen' | 'flagged' | 'draft'>): string[] {
  return [
    ...(draft ? ['\\Draft'] : []),
    ...(flagged ? ['\\Flagged'] : []),
    ...(unseen ? [] : ['\\Seen']),
  ]
}

function changeOf(before: readonly string[], value: string[]) {
  const added = value.filter((name) => !before.includes(name))
  const removed = before.filter((name) => !value.includes(name))
  return added.length + removed.length > 0 ? { added, removed, value } : undefined
}
