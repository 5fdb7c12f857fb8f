import { defined } from '@posthorn/contracts/defined'
import type { NewEvent } from '@posthorn/db'
import { encodeMessageId } from '@posthorn/message-id'
import { mailboxEvent } from '../../../events/mailbox-event.ts'
import { splitNames } from '../index/flag-names.ts'
import type { FlagChange } from '../index/mailbox-index.ts'
import { messageLabels } from '../messages/gmail.ts'
import type { Account } from '../../../store/accounts.ts'
import type { MailboxRow } from '../../../store/mailboxes.ts'

/**
 * Creates the event of a new or renamed mailbox. `renameEpoch` is the sync epoch of a rename. This
 * number makes the event id unique, because a rename does not change the mailbox number.
 */
export function mailboxNew(account: Account, row: MailboxRow, renameEpoch?: string): NewEvent {
  const key = mailboxKey(row, renameEpoch)
  const data = { ...describe(row), uidValidity: String(row.uidValidity) }
  return mailboxEvent(account, row, { event: 'mailboxNew', key, data })
}

export function mailboxDeleted(account: Account, row: MailboxRow, renameEpoch?: string): NewEvent {
  const key = mailboxKey(row, renameEpoch)
  return mailboxEvent(account, row, { event: 'mailboxDeleted', key, data: describe(row) })
}

/**
 * Creates the event of a mailbox whose message ids became invalid. `previous` is the former
 * UIDVALIDITY, absent if unknown.
 */
export function mailboxReset(
  account: Account,
  row: MailboxRow,
  { reason, previous }: { reason: 'uidValidityChange' | 'syncStateLost'; previous?: string },
): NewEvent {
  const uidValidity = String(row.uidValidity)
  const data = {
    ...describe(row),
    uidValidity,
    ...defined({ prevUidValidity: previous }),
    reason,
  }
  return mailboxEvent(account, row, { event: 'mailboxReset', key: mailboxKey(row), data })
}

function mailboxKey({ number }: MailboxRow, renameEpoch?: string): (string | number)[] {
  return renameEpoch === undefined ? [number] : [number, 'renamed', renameEpoch]
}

function describe({ path, name, specialUse }: MailboxRow) {
  return { path, name, specialUse: specialUse ?? (false as const) }
}

export function messageDeleted(account: Account, row: MailboxRow, uid: number): NewEvent {
  const key = messageKey(row, uid)
  return mailboxEvent(account, row, { event: 'messageDeleted', key, data: messageIds(row, uid) })
}

/**
 * Creates the event of a message whose flags or labels changed. `syncEpoch` of the commit makes the
 * event id unique, because a flag can be set and removed repeatedly.
 */
export function messageUpdated(
  account: Account,
  row: MailboxRow,
  { change, syncEpoch }: { change: FlagChange; syncEpoch: string },
): NewEvent {
  const { uid } = change
  const key = [...messageKey(row, uid), syncEpoch]
  const data = { ...messageIds(row, uid), changes: describeChange(row, change) }
  return mailboxEvent(account, row, { event: 'messageUpdated', key, data })
}

/** Repeated fetches of a message that the server listed but did not return. */
export interface FetchRetries {
  missingRetries: number
  missingDelay: number
}

export function messageMissing(
  account: Account,
  row: MailboxRow,
  { uid, ...retries }: FetchRetries & { uid: number },
): NewEvent {
  const data = { ...messageIds(row, uid), ...retries }
  return mailboxEvent(account, row, { event: 'messageMissing', key: messageKey(row, uid), data })
}

/** Event key of an event that can occur only once per message. */
export function messageKey(row: MailboxRow, uid: number): (string | number)[] {
  return [String(row.uidValidity), uid, row.number]
}

function messageIds({ number }: MailboxRow, uid: number) {
  return { id: encodeMessageId({ mailbox: number, uid }), uid }
}

/** Describes the changed flags and the changed labels of a message, each absent if unchanged. */
function describeChange(row: MailboxRow, change: FlagChange) {
  const added = splitNames(change.added)
  const removed = splitNames(change.removed)
  const value = splitNames(change.value)
  const flags = { added: added.flags, removed: removed.flags, value: value.flags }
  const allLabels = messageLabels(row, value.labels)
  const labels = { added: added.labels, removed: removed.labels, value: allLabels }
  return {
    ...(flags.added.length + flags.removed.length > 0 && { flags }),
    ...(labels.added.length + labels.removed.length > 0 && { labels }),
  }
}
