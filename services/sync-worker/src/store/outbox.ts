import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Bytes read in one go: they come as text, twice as long, which is to be in memory only in parts. */
const pieceBytes = 2 * 1024 * 1024

interface OutboxKey {
  queueId: string
  account: string
}

/** How many bytes a message in the outbox has; undefined where they are not kept (any more). */
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

/** The bytes of a message in the outbox; undefined where they were given up meanwhile. */
export async function readOutbox(
  db: Db,
  { queueId, account }: OutboxKey,
  size: number,
): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(size)
  for (let from = 0; from < size; from += pieceBytes) {
    const row = await db
      .selectFrom('outbox')
      .select(
        sql<Buffer | null>`substring(mime from ${from + 1}::int for ${pieceBytes}::int)`.as(
          'piece',
        ),
      )
      .where('queueId', '=', queueId)
      .where('account', '=', account)
      .executeTakeFirst()
    if (!row?.piece) return undefined
    row.piece.copy(bytes, from)
  }
  return bytes
}

/** The messages of the outbox that have these Message-IDs, as far as they are still known there. */
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
