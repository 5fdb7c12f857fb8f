import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { findMimeSize, readMime } from './stored-mime.ts'

interface OutboxKey {
  queueId: string
  account: string
}

/** Size of a message in the outbox; undefined if the bytes of the message were deleted. */
export function findOutboxSize(db: Db, key: OutboxKey): Promise<number | undefined> {
  return findMimeSize(db, mimeOf(key))
}

/** Bytes of a message in the outbox; undefined if the bytes were deleted in the meantime. */
export function readOutbox(db: Db, key: OutboxKey, size: number): Promise<Buffer | undefined> {
  return readMime(db, mimeOf(key), size)
}

function mimeOf({ queueId, account }: OutboxKey) {
  return sql`outbox where queue_id = ${queueId} and account = ${account}`
}

/** Recipient who did not get a sent message, according to a report. */
export interface FailedRecipient {
  messageId: string
  recipient: string
}

/**
 * Marks submissions in the outbox as bounced. If several submissions have the reported Message-ID,
 * marks only the submissions to the reported recipient. Requires the account's lease.
 */
export async function markBounced(
  tx: Tx,
  account: string,
  failed: readonly FailedRecipient[],
): Promise<void> {
  if (failed.length === 0) return
  const messageIds = sql.val(failed.map(({ messageId }) => messageId))
  const recipients = sql.val(failed.map(({ recipient }) => recipient.toLowerCase()))
  await sql`
    update outbox o set bounced_at = now()
    from unnest(${messageIds}::text[], ${recipients}::text[]) as failed (message_id, recipient)
    where o.message_id = failed.message_id and o.account = ${account} and o.bounced_at is null
      and (
        exists (
          select from jsonb_array_elements_text(o.envelope -> 'to') as address
          where lower(address) = failed.recipient
        ) or not exists (
          select from outbox other
          where other.message_id = o.message_id and other.account = o.account
            and other.queue_id <> o.queue_id
        )
      )
  `.execute(tx)
}

/** Sent message in the outbox to which a report (bounce or complaint) refers. */
export interface SentMessage {
  queueId: string
  /** Recipients of the sent message (RCPT TO addresses). */
  recipients: string[]
}

/** Finds sent messages by Message-ID. Only messages that are still in the outbox are found. */
export async function findSentMessages(
  tx: Tx,
  account: string,
  messageIds: readonly string[],
): Promise<Map<string, SentMessage>> {
  if (messageIds.length === 0) return new Map()
  const rows = await tx
    .selectFrom('outbox')
    .select(['queueId', 'messageId', 'envelope'])
    .where('messageId', 'in', messageIds)
    .where('account', '=', account)
    .execute()
  return new Map(
    rows.map(({ queueId, messageId, envelope }) => [
      messageId,
      { queueId, recipients: envelope.to },
    ]),
  )
}
