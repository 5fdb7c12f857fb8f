import { deriveEventId, type NewEvent } from '@posthorn/db'
import type { Account } from '../store/accounts.ts'
import type { MailboxRow } from '../store/mailboxes.ts'

/** Account that an event is about. */
export type EventAccount = Pick<Account, 'account' | 'registeredAt'>

/** Part of an event id that distinguishes events of the same name and mailbox. */
export type EventKey = readonly (string | number)[]

/** Mailbox that an event is about. */
export interface EventMailbox extends Pick<MailboxRow, 'path' | 'specialUse'> {
  /** Part of event ids that names the mailbox. Default: the path of the mailbox. */
  idKey?: EventKey
}

// Event ids are derived from the recorded change, so that a repeated sync records no event twice.
// The number of a mailbox is unique in the life of an account, while paths can be reused.

/** Event about a mailbox or one of its messages. `key` distinguishes events of the same name. */
export function mailboxEvent(
  { account, registeredAt }: EventAccount,
  { path, specialUse, idKey = [path] }: EventMailbox,
  { event, key, data }: { event: string; key: EventKey; data: unknown },
): NewEvent {
  return {
    event,
    account,
    data,
    path,
    ...(specialUse !== null && { specialUse }),
    eventId: deriveEventId([event, account, registeredAt, ...idKey, ...key]),
  }
}

/**
 * Mailbox of events of an account on a mail API. Message ids are unique in such an account, so that
 * event ids do not depend on the mailbox.
 */
export function apiEventMailbox({ path, specialUse }: EventMailbox): EventMailbox {
  return { path, specialUse, idKey: [] }
}

/**
 * Key of an event about a message of an account on a mail API. `epoch` is the epoch of the commit,
 * because a message can be moved, deleted and restored repeatedly. The key is the same until the
 * commit succeeds.
 */
export function apiMessageKey({ id, epoch }: { id: string; epoch: number }): EventKey {
  return [id, epoch]
}
