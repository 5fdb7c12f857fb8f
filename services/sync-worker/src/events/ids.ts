import { deriveEventId, type NewEvent } from '@posthorn/db'
import type { Account } from '../sessions/account.ts'
import type { MailboxRow } from '../store/mailboxes.ts'

/** An event about a mailbox or a message in it, with the id that tells this happening from others. */
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
    ...(specialUse === null ? {} : { specialUse }),
    eventId: deriveEventId([event, account, registeredAt, path, ...key]),
  }
}
