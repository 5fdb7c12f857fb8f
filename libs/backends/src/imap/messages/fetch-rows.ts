import type { ExpungeEvent, FetchMessageObject, FetchQueryObject } from 'imapflow'
import type { UidRange } from '../../mail-session.ts'
import { formatSequenceSet, uidsIn } from '../../uid-ranges.ts'
import type { ImapConnection, MailboxRef } from '../connection/connection.ts'

/** FETCH responses (rows) for messages, by UID. */
export type Rows = Map<number, FetchMessageObject>

interface RowQuery {
  mailbox: MailboxRef
  query: FetchQueryObject
  /** Called when the FETCH command is sent to the IMAP server. */
  onSent: () => void
}

/** Fetches the messages with a range of sequence numbers. Returns the FETCH responses (rows). */
export async function fetchSequence(
  connection: ImapConnection,
  [first, last]: readonly [number, number],
  { mailbox, query, onSent }: RowQuery,
): Promise<Rows> {
  return await connection.call(async (client) => {
    onSent()
    const rows: Rows = new Map()
    for await (const row of client.fetch(`${first}:${last}`, query))
      if (row.seq >= first && row.seq <= last && row.uid && row.size !== undefined)
        rows.set(row.uid, mergeRows(rows.get(row.uid), row))
    return rows
  }, mailbox)
}

/**
 * Fetches the messages with the given UIDs. Returns the FETCH responses (rows). Reports changes of
 * other messages to the watcher.
 */
export async function fetchRows(
  connection: ImapConnection,
  uids: readonly UidRange[],
  { mailbox, query, onSent }: RowQuery,
): Promise<Rows> {
  const wanted = new Set(uidsIn(uids))
  return await connection.call(async (client) => {
    onSent()
    const rows: Rows = new Map()
    // Collects deletions that the server reports during UID FETCH, because the server may still
    // return a message that it reports as deleted later in the same response.
    const removed: RemovedMessages[] = []
    const expunged = ({ seq = 0 }: ExpungeEvent) => void removed.push({ seq })
    client.on('expunge', expunged)
    connection.wire.onVanishedUids = (uids) => void removed.push({ uids })
    try {
      for await (const row of client.fetch(formatSequenceSet(uids), query, { uid: true })) {
        // Ignores messages that were not requested, and merges several FETCH responses for one
        // message. Servers may send such responses (RFC 9051 §7.5.2).
        if (wanted.has(row.uid)) rows.set(row.uid, mergeRows(rows.get(row.uid), row))
        // Reports flag changes of messages to the watcher of the mailbox if the IMAP server sent
        // them unsolicited, because no other code sees them.
        if (!wanted.has(row.uid) || row.size === undefined)
          connection.notifications.notifyFlags(row)
      }
    } finally {
      client.off('expunge', expunged)
      connection.wire.onVanishedUids = undefined
    }
    for (const event of removed) removeRows(rows, event)
    for (const [uid, row] of rows) if (row.size === undefined) rows.delete(uid)
    return rows
  }, mailbox)
}

/**
 * Messages that an EXPUNGE response (by sequence number) or a VANISHED response (by UIDs) reports
 * as deleted.
 */
type RemovedMessages = { seq: number } | { uids: UidRange[] }

/**
 * Removes the FETCH responses (rows) of deleted messages. Each EXPUNGE lowers the sequence numbers
 * above the deleted message (RFC 9051 §7.5.1). A row that is removed by mistake is fetched again.
 */
function removeRows(rows: Rows, removed: RemovedMessages): void {
  for (const [uid, row] of rows) {
    if ('uids' in removed) {
      if (removed.uids.some(([first, last]) => first <= uid && uid <= last)) rows.delete(uid)
    } else if (row.seq === removed.seq) rows.delete(uid)
    else if (row.seq > removed.seq) rows.set(uid, { ...row, seq: row.seq - 1 })
  }
}

/**
 * Merges two FETCH responses for one message. A value that is missing in the later response is
 * taken from the earlier response.
 */
function mergeRows(
  earlier: FetchMessageObject | undefined,
  row: FetchMessageObject,
): FetchMessageObject {
  if (!earlier) return row
  const present = Object.entries(row).filter(([, value]) => value !== undefined)
  return { ...earlier, ...Object.fromEntries(present) }
}

/** Adds FETCH responses (rows), which replace earlier responses for the same messages. */
export function addRows(rows: Rows, more: Rows): void {
  for (const [uid, row] of more) rows.set(uid, row)
}
