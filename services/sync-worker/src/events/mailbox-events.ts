import { deriveEventId, type NewEvent } from '@posthorn/db'
import { encodeMessageId } from '@posthorn/message-id'
import { splitNames } from '../index/flag-names.ts'
import type { FlagChange } from '../index/mailbox-index.ts'
import { messageLabels } from '../messages/gmail.ts'
import type { Account } from '../store/accounts.ts'
import type { MailboxRow } from '../store/mailboxes.ts'

// Event ids are derived from what happened, so that a repeated sync records no event twice. The
// number of a mailbox is unique in the life of an account: paths can be reused.

/** Event about a mailbox or one of its messages. `key` distinguishes it from others of its name. */
export function mailboxEvent(
  { account, registeredAt }: Pick<Account, 'account' | 'registeredAt'>,
  { path, specialUse }: Pick<MailboxRow, 'path' | 'specialUse'>,
  { event, key, data }: { event: string; key: readonly (string | number)[]; data: unknown },
): NewEvent {
  return {
    event,
    account,
    data,
    path,
    ...(specialUse !== null && { specialUse }),
    eventId: deriveEventId([event, account, registeredAt, path, ...key]),
  }
}

/** `renameEpoch` is the sync epoch of a rename, which does not change the mailbox number. */
export function mailboxNew(account: Account, row: MailboxRow, renameEpoch?: string): NewEvent {
  return mailboxEvent(account, row, {
    event: 'mailboxNew',
    key: mailboxKey(row, renameEpoch),
    data: { ...describe(row), uidValidity: String(row.uidValidity) },
  })
}

export function mailboxDeleted(account: Account, row: MailboxRow, renameEpoch?: string): NewEvent {
  return mailboxEvent(account, row, {
    event: 'mailboxDeleted',
    key: mailboxKey(row, renameEpoch),
    data: describe(row),
  })
}

/** `previous` is the former UIDVALIDITY; false if unknown. */
export function mailboxReset(
  account: Account,
  row: MailboxRow,
  { reason, previous }: { reason: 'uidValidityChange' | 'syncStateLost'; previous: string | false },
): NewEvent {
  return mailboxEvent(account, row, {
    event: 'mailboxReset',
    key: mailboxKey(row),
    data: {
      ...describe(row),
      uidValidity: String(row.uidValidity),
      prevUidValidity: previous,
      reason,
    },
  })
}

function mailboxKey({ number }: MailboxRow, renameEpoch?: string): (string | number)[] {
  return renameEpoch === undefined ? [number] : [number, 'renamed', renameEpoch]
}

function describe({ path, name, specialUse }: MailboxRow) {
  return { path, name, specialUse: specialUse ?? (false as const) }
}

export function messageDeleted(account: Account, row: MailboxRow, uid: number): NewEvent {
  return mailboxEvent(account, row, {
    event: 'messageDeleted',
    key: messageKey(row, uid),
    data: messageIds(row, uid),
  })
}

/** `syncEpoch` of the commit makes the id unique: a flag can be set and removed repeatedly. */
export function messageUpdated(
  account: Account,
  row: MailboxRow,
  { change, syncEpoch }: { change: FlagChange; syncEpoch: string },
): NewEvent {
  const { uid } = change
  return mailboxEvent(account, row, {
    event: 'messageUpdated',
    key: [...messageKey(row, uid), syncEpoch],
    data: { ...messageIds(row, uid), changes: describeChange(row, change) },
  })
}

/** Retries of a message that the server listed but did not return. */
export interface FetchRetries {
  missingRetries: number
  missingDelay: number
}

export function messageMissing(
  account: Account,
  row: MailboxRow,
  { uid, ...retries }: FetchRetries & { uid: number },
): NewEvent {
  return mailboxEvent(account, row, {
    event: 'messageMissing',
    key: messageKey(row, uid),
    data: { ...messageIds(row, uid), ...retries },
  })
}

/** Key of an event about a message that happens once. */
export function messageKey(row: MailboxRow, uid: number): (string | number)[] {
  return [String(row.uidValidity), uid, row.number]
}

function messageIds({ number }: MailboxRow, uid: number) {
  return { id: encodeMessageId({ mailbox: number, uid }), uid }
}

/** Changed flags and changed labels, each absent if unchanged. */
function describeChange(row: MailboxRow, change: FlagChange) {
  const added = splitNames(change.added)
  const removed = splitNames(change.removed)
  const value = splitNames(change.value)
  const flags = { added: added.flags, removed: removed.flags, value: value.flags }
  const labels = {
    added: added.labels,
    removed: removed.labels,
    value: messageLabels(row, value.labels),
  }
  return {
    ...(flags.added.length + flags.removed.length > 0 && { flags }),
    ...(labels.added.length + labels.removed.length > 0 && { labels }),
  }
}
