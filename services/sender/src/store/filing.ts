import { type DueRow, DueRows, type Filing } from '@posthorn/db'
import { sql } from 'kysely'

/** Sent message with mailbox work left. Ages from the time at which the message was sent. */
export interface DueFiling extends DueRow {
  queueId: string
  /** Message-ID in the MIME bytes, even if the server assigned another. */
  messageId: string
  filing: Filing | null
}

/** Mailbox work of sent messages. The MIME bytes are deleted when the mailbox work ends. */
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

/** Condition for filings of other accounts. */
export function isOfOthers(accounts: readonly string[]) {
  return sql<boolean>`account <> all(${sql.val([...accounts])}::text[])`
}
