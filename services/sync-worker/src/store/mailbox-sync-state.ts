import { defined } from '@posthorn/contracts/defined'
import type { Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { type MailboxRow, updateMailboxRow } from './mailboxes.ts'

/**
 * Counters of a mailbox at the end of a complete sync. While the server reports equal counters, the
 * mailbox did not change.
 */
export interface SyncCursor {
  uidNext: number
  /**
   * Number of messages in the mailbox index; for a fast index (without messages), the number that
   * the server reports. Null if both numbers are equal, but the server did not list all messages.
   */
  messages: number | null
  highestModseq?: bigint
}

/** Stores the counters of a mailbox at the end of a complete sync. Requires the account's lease. */
export function saveCursor(
  tx: Tx,
  id: string,
  { uidNext, messages, highestModseq }: SyncCursor,
): Promise<MailboxRow> {
  return updateMailboxRow(tx, id, {
    uidNext: String(uidNext),
    messages,
    highestModseq: highestModseq?.toString() ?? null,
    syncedAt: sql<Date>`now()`,
  })
}

/** Stores that the index of a mailbox has no messages left. Requires the account's lease. */
export async function markEmptied(tx: Tx, id: string): Promise<void> {
  await updateMailboxRow(tx, id, { messages: 0 })
}

/** Counters of a mailbox up to which its index is complete. */
export interface IndexedCounters {
  uidValidity: bigint
  /**
   * Lowest UID of the messages to announce later. Used by the fast index (without messages) only.
   */
  uidNext?: number
  highestModseq?: bigint
}

/** Marks the index of a mailbox as complete up to a mod-sequence. Requires the account's lease. */
export function markIndexed(
  tx: Tx,
  id: string,
  { uidValidity, uidNext, highestModseq }: IndexedCounters,
): Promise<MailboxRow> {
  return updateMailboxRow(tx, id, {
    uidValidity: String(uidValidity),
    ...defined({ uidNext: uidNext?.toString() }),
    highestModseq: highestModseq?.toString() ?? null,
    flagsComplete: true,
    idsOnly: false,
  })
}

/** Mailbox that the IMAP server reports as empty, with its counters. */
export interface EmptyMailbox {
  id: string
  uidValidity: bigint
  uidNext: number
  highestModseq?: bigint
}

/**
 * Marks empty mailboxes as synced, except mailboxes that were synced in the meantime. Returns the
 * changed rows. Requires the leases of the mailboxes' accounts.
 */
export async function markEmpty(tx: Tx, mailboxes: readonly EmptyMailbox[]): Promise<MailboxRow[]> {
  if (mailboxes.length === 0) return []
  const column = <T>(pick: (mailbox: EmptyMailbox) => T) => sql.val(mailboxes.map(pick))
  const { rows } = await sql<MailboxRow>`
    update mailboxes m
    set uid_validity = i.uid_validity, uid_next = i.uid_next, highest_modseq = i.highest_modseq,
      messages = 0, flags_complete = true, ids_only = false, synced_at = now()
    from unnest(
      ${column(({ id }) => id)}::bigint[],
      ${column(({ uidValidity }) => String(uidValidity))}::bigint[],
      ${column(({ uidNext }) => uidNext)}::bigint[],
      ${column(({ highestModseq }) => highestModseq?.toString() ?? null)}::bigint[]
    ) as i (id, uid_validity, uid_next, highest_modseq)
    where m.id = i.id and m.uid_validity is null and not m.flags_complete
    returning m.*
  `.execute(tx)
  return rows
}

/** Stores the UIDVALIDITY of a mailbox that is not synced. Requires the account's lease. */
export function saveIdsOnly(
  tx: Tx,
  id: string,
  { number, uidValidity }: { number: number; uidValidity: bigint },
): Promise<MailboxRow> {
  return updateMailboxRow(tx, id, { number, uidValidity: String(uidValidity), idsOnly: true })
}

/**
 * Stores the UIDNEXT up to which a fast index (without messages) is complete. Requires the
 * account's lease.
 */
export async function saveUidNext(tx: Tx, id: string, uidNext: number): Promise<void> {
  await updateMailboxRow(tx, id, { uidNext: String(uidNext) })
}

/**
 * Invalidates all message ids of a mailbox by giving the mailbox a new number and no index.
 * Messages with UIDs below `uidNext` are not announced later. Requires the account's lease.
 */
export function markReset(
  tx: Tx,
  id: string,
  { number, uidValidity, uidNext }: { number: number; uidValidity: bigint; uidNext: number },
): Promise<MailboxRow> {
  return updateMailboxRow(tx, id, {
    number,
    uidValidity: String(uidValidity),
    uidNext: String(uidNext),
    highestModseq: null,
    messages: null,
    flagsComplete: false,
  })
}

/**
 * Increments the sync epoch (a counter) of a mailbox, which is a part of event ids. Requires the
 * account's lease.
 */
export async function raiseSyncEpoch(tx: Tx, id: string): Promise<string> {
  const { syncEpoch } = await updateMailboxRow(tx, id, { syncEpoch: sql<string>`sync_epoch + 1` })
  return syncEpoch
}
