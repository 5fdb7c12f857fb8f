import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { findMimeSize, readMime } from './stored-mime.ts'

interface OutboxKey {
  queueId: string
  account: string
}

/** Size of a message in the outbox; undefined if its bytes were deleted. */
export function findOutboxSize(db: Db, key: OutboxKey): Promise<number | undefined> {
  return findMimeSize(db, mimeOf(key))
}

/** Bytes of a message in the outbox; undefined if they were deleted meanwhile. */
export function readOutbox(db: Db, key: OutboxKey, size: number): Promise<Buffer | undefined> {
  return readMime(db, mimeOf(key), size)
}

function mimeOf({ queueId, account }: OutboxKey) {
  return sql`outbox where queue_id = ${queueId} and account = ${account}`
}

/** A sent message that a report is about. */
export interface SentMessage {
  queueId: string
  /** RCPT TO addresses. */
  recipients: string[]
}

/** Messages that are still in the outbox, by Message-ID. */
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
