import type { NewEvent } from '@posthorn/db'
import { encodeMessageId } from '@posthorn/message-id'
import { splitNames } from '../index/labels.ts'
import type { FlagChange } from '../index/mailbox-index.ts'
import { messageLabels } from '../messages/gmail.ts'
import type { Account } from '../sessions/account.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { mailboxEvent } from './ids.ts'

export function messageDeleted(account: Account, row: MailboxRow, uid: number): NewEvent {
  return mailboxEvent(account, row, {
    event: 'messageDeleted',
    key: [String(row.uidValidity), uid, row.number],
    data: { id: encodeMessageId({ mailbox: row.number, uid }), uid },
  })
}

/** `syncEpoch`: of the commit this event is part of. Flags and labels go back and forth, commits do not. */
export function messageUpdated(
  account: Account,
  row: MailboxRow,
  { change, syncEpoch }: { change: FlagChange; syncEpoch: string },
): NewEvent {
  const { uid } = change
  return mailboxEvent(account, row, {
    event: 'messageUpdated',
    key: [String(row.uidValidity), uid, row.number, syncEpoch],
    data: {
      id: encodeMessageId({ mailbox: row.number, uid }),
      uid,
      changes: changesOf(row, change),
    },
  })
}

/** Flags and labels, each where they changed. */
function changesOf(row: MailboxRow, change: FlagChange) {
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
    ...(flags.added.length + flags.removed.length > 0 ? { flags } : {}),
    ...(labels.added.length + labels.removed.length > 0 ? { labels } : {}),
  }
}

/** How often and how long it was waited for a message that the server named and did not give. */
export interface FetchRetries {
  missingRetries: number
  missingDelay: number
}

export function messageMissing(
  account: Account,
  row: MailboxRow,
  { uid, ...missing }: FetchRetries & { uid: number },
): NewEvent {
  return mailboxEvent(account, row, {
    event: 'messageMissing',
    key: [String(row.uidValidity), uid, row.number],
    data: { id: encodeMessageId({ mailbox: row.number, uid }), uid, ...missing },
  })
}
