import { deriveEventId, type NewEvent } from '@posthorn/db'
import type { Account } from '../store/accounts.ts'
import type { MailboxRow } from '../store/mailboxes.ts'

/** Account that an event is about. */
export type EventAccount = Pick<Account, 'account' | 'registeredAt'>

/** Part of an event id. Distinguishes events that have the same name and mailbox. */
export type EventKey = readonly (string | number)[]

/** Mailbox that an event is about. */
export interface EventMailbox extends Pick<MailboxRow, 'path' | 'specialUse'> {
  /** Part of event ids that identifies the mailbox. Defaults to the path of the mailbox. */
  idKey?: EventKey
}

// Event ids are derived from the recorded change, so that a repeated sync records no event twice.
// Event ids contain mailbox numbers, because a deleted mailbox's path can be used again, but not
// its number.

/**
 * Creates an event about a mailbox or its messages. `key` distinguishes events with the same name.
 */
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
 * Returns the mailbox to name in events of an account on a mail API. Message ids are unique within
 * such an account, so the event ids do not depend on the mailbox.
 */
export function apiEventMailbox({ path, specialUse }: EventMailbox): EventMailbox {
  return { path, specialUse, idKey: [] }
}

/**
 * Key of an event about a message of an account on a mail API. Contains `epoch`, the epoch of the
 * commit, because a message can be moved, deleted and restored repeatedly. A repeated commit has
 * the same epoch, and thus the same key, until the commit succeeds.
 */
export function apiMessageKey({ id, epoch }: { id: string; epoch: number }): EventKey {
  return [id, epoch]
}
