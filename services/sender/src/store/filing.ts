import { type DueRow, DueRows, type Filing } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Sent message with mailbox work (filing its copy) left. The age counts from the time at which the
 * message was sent.
 */
export interface DueFiling extends DueRow {
  queueId: string
  /**
   * Message-ID in the MIME bytes of the sent message, even if the mail server assigned another
   * Message-ID.
   */
  messageId: string
  filing: Filing | null
}

/**
 * Due rows of the mailbox work (filing) of sent messages. The MIME bytes are deleted when the
 * mailbox work ends.
 */
export const filings = new DueRows<'outbox', DueFiling>({
  table: 'outbox',
  key: 'queueId',
  dueAt: 'filingNextAt',
  since: 'finishedAt',
  counter: 'filingAttempts',
  counted: 'claim',
  columns: sql`outbox.queue_id as "queueId", filing,
    coalesce(original_message_id, message_id) as "messageId"`,
  ended: sql`filing_next_at = null, mime = null`,
})

/**
 * Columns of an outbox row with mailbox work (filing). The row keeps the MIME bytes, which the
 * mailbox work needs.
 */
export function filingColumns(filing: Filing) {
  return {
    mime: sql<Buffer | null>`mime`,
    filing: JSON.stringify(filing),
    filingNextAt: sql<Date>`now()`,
  }
}

/**
 * SQL condition for due filings (mailbox work of sent messages) of accounts that are not in
 * `accounts`.
 */
export function isOfOthers(accounts: readonly string[]) {
  return sql<boolean>`account <> all(${sql.val([...accounts])}::text[])`
}
