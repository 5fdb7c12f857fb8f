import type { BounceInfo } from '@posthorn/contracts/schemas/message'
import type { Bounces, Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { deleteExpired, hashMessageId } from './announced.ts'

/** Maximum number of bounces that are returned per message. */
const maxShown = 100

/** Stores bounces. Skips bounces that were stored before. Requires the account's lease. */
export async function insertBounces(tx: Tx, rows: readonly Bounces[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('bounces')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function hasBounces(db: Db, account: string): Promise<boolean> {
  const row = await db
    .selectFrom('bounces')
    .select('recipient')
    .where('account', '=', account)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Lists the bounces of an account, grouped by Message-ID. Messages without bounces are absent. */
export async function findBounces(
  db: Db,
  account: string,
  messageIds: readonly string[],
): Promise<Map<string, BounceInfo[]>> {
  const byHash = new Map(messageIds.map((id) => [hashMessageId(id), id]))
  if (byHash.size === 0) return new Map()
  const rows = await db
    .selectFrom('bounces')
    .select(['messageHash', 'bounceMessage', 'recipient', 'action', 'response', 'status', 'date'])
    .where('account', '=', account)
    .where(sql<boolean>`(message_hash = any(${sql.val([...byHash.keys()])}::bigint[]))`)
    .orderBy('date')
    .limit(maxShown * messageIds.length)
    .execute()
  const byId = Map.groupBy(rows, ({ messageHash }) => byHash.get(messageHash) ?? '')
  return new Map([...byId].map(([id, bounces]) => [id, bounces.slice(0, maxShown).map(toInfo)]))
}

function toInfo(row: Omit<Bounces, 'account' | 'messageHash'>): BounceInfo {
  const { bounceMessage, recipient, action, response, status, date } = row
  return {
    message: bounceMessage,
    recipient,
    action,
    response: { message: response, ...(status !== null && { status }) },
    date: date.toISOString(),
  }
}

/** Deletes up to `limit` expired rows of bounces. Returns the number of deleted rows. */
export function deleteOldBounces(db: Db, limit: number): Promise<number> {
  return deleteExpired(db, { table: 'bounces', date: 'date' }, limit)
}
