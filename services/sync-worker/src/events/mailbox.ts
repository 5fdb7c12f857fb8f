import type { NewEvent } from '@posthorn/db'
import type { Account } from '../sessions/account.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { mailboxEvent } from './ids.ts'

// The number of a mailbox is handed out once in the life of an account: it tells a mailbox from a later one of the same path.

/** `epoch`: of the commit that renamed it, for a mailbox keeps its number then. */
export function mailboxNew(account: Account, row: MailboxRow, epoch?: string): NewEvent {
  return mailboxEvent(account, row, {
    event: 'mailboxNew',
    key: keyOf(row, epoch),
    data: { ...describe(row), uidValidity: String(row.uidValidity) },
  })
}

export function mailboxDeleted(account: Account, row: MailboxRow, epoch?: string): NewEvent {
  return mailboxEvent(account, row, {
    event: 'mailboxDeleted',
    key: keyOf(row, epoch),
    data: describe(row),
  })
}

/** `previous`: the UIDVALIDITY before, where it is known. */
export function mailboxReset(
  account: Account,
  row: MailboxRow,
  { reason, previous }: { reason: 'uidValidityChange' | 'syncStateLost'; previous: string | false },
): NewEvent {
  return mailboxEvent(account, row, {
    event: 'mailboxReset',
    key: [row.number],
    data: {
      ...describe(row),
      uidValidity: String(row.uidValidity),
      prevUidValidity: previous,
      reason,
    },
  })
}

function keyOf({ number }: MailboxRow, epoch: string | undefined): (string | number)[] {
  return epoch === undefined ? [number] : [number, 'renamed', epoch]
}

function describe({ path, name, specialUse }: MailboxRow) {
  return { path, name, specialUse: specialUse ?? (false as const) }
}
