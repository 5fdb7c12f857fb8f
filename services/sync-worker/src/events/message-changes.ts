import type { NewEvent } from '@posthorn/db'
import { encodeMessageId } from '@posthorn/message-id'
import type { FlagChange } from '../index/mailbox-index.ts'
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

/** `syncEpoch`: of the commit this event is part of. Flags go back and forth, commits do not. */
export function messageUpdated(
  account: Account,
  row: MailboxRow,
  { change: { uid, added, removed, value }, syncEpoch }: { change: FlagChange; syncEpoch: string },
): NewEvent {
  return mailboxEvent(account, row, {
    event: 'messageUpdated',
    key: [String(row.uidValidity), uid, row.number, syncEpoch],
    data: {
      id: encodeMessageId({ mailbox: row.number, uid }),
      uid,
      changes: {
        flags: { added, removed, value },
      },
    },
  })
}

/** How often and how long it was waited for a message that the server named and did not give. */
export interface Missing {
  missingRetries: number
  missingDelay: number
}

export function messageMissing(
  account: Account,
  row: MailboxRow,
  { uid, ...missing }: Missing & { uid: number },
): NewEvent {
  return mailboxEvent(account, row, {
    event: 'messageMissing',
    key: [String(row.uidValidity), uid, row.number],
    data: { id: encodeMessageId({ mailbox: row.number, uid }), uid, ...missing },
  })
}
