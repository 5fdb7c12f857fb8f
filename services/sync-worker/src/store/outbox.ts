import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Bytes per query. They are transferred as hex, which must not be in memory as a whole. */
const chunkBytes = 2 * 1024 * 1024

interface OutboxKey {
  queueId: string
  account: string
}

/** Size of a message in the outbox; undefined if its bytes were deleted. */
export async function findOutboxSize(
  db: Db,
  { queueId, account }: OutboxKey,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('outbox')
    .select(sql<number | null>`octet_length(mime)`.as('size'))
    .where('queueId', '=', queueId)
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.size ?? undefined
}

/** Bytes of a message in the outbox; undefined if they were deleted meanwhile. */
export async function readOutbox(
  db: Db,
  { queueId, account }: OutboxKey,
  size: number,
): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(size)
  for (let from = 0; from < size; from += chunkBytes) {
    const row = await db
      .selectFrom('outbox')
      .select(
        sql<Buffer | null>`substring(mime from ${from + 1}::int for ${chunkBytes}::int)`.as(
          'chunk',
        ),
      )
      .where('queueId', '=', queueId)
      .where('account', '=', account)
      .executeTakeFirst()
    if (!row?.chunk) return undefined
    row.chunk.copy(bytes, from)
  }
  return bytes
}

/** Queue ids by Message-ID, of messages that are still in the outbox. */
export async function findQueueIds(
  tx: Tx,
  account: string,
  messageIds: readonly string[],
): Promise<Map<string, string>> {
  if (messageIds.length === 0) return new Map()
  const rows = await tx
    .selectFrom('outbox')
    .select(['queueId', 'messageId'])
    .where('messageId', 'in', messageIds)
    .where('account', '=', account)
    .execute()
  return new Map(rows.map(({ queueId, messageId }) => [messageId, queueId]))
}
