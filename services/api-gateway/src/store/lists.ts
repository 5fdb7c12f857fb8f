import { domainToASCII } from 'node:url'
import { type Db, type ListBlocks, type PageRequest, readPage, readRows } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'

function listNotFound(): AppError {
  return new AppError('not-found', 'The blocklist was not found')
}

/**
 * Canonical form of an address: lower case, with the domain as an A-label (RFC 5890 §2.3.2.1), so
 * that a block applies to every spelling.
 */
export function recipientKey(recipient: string): string {
  const at = recipient.lastIndexOf('@')
  const domain = recipient.slice(at + 1)
  const local = recipient.slice(0, at + 1).normalize('NFC')
  return `${local}${domainToASCII(domain) || domain}`.toLowerCase()
}

/** One page of the lists, ordered by id, with the number of addresses on each. */
export function listLists(db: Db, page: PageRequest) {
  const lists = db
    .selectFrom('lists')
    .select(['listId', sql<number>`blocked::int`.as('count')])
    .orderBy('listId')
  return readPage(lists, page)
}

/** Number of addresses on a list. @throws AppError `not-found` */
export async function countBlocks(db: Db, listId: string): Promise<number> {
  const row = await db
    .selectFrom('lists')
    .select(sql<number>`blocked::int`.as('count'))
    .where('listId', '=', listId.toLowerCase())
    .executeTakeFirstOrThrow(listNotFound)
  return row.count
}

/** One page of the addresses on a list, newest first. */
export function listBlocks(db: Db, listId: string, page: PageRequest) {
  const blocks = db
    .selectFrom('listBlocks')
    .select(['recipient', 'account', 'messageId', 'source', 'reason'])
    .select(['remoteAddress', 'userAgent', 'createdAt'])
    .where('listId', '=', listId.toLowerCase())
    .orderBy('createdAt', 'desc')
    .orderBy('recipient')
  return readRows(blocks, page)
}
export type BlockRow = Awaited<ReturnType<typeof listBlocks>>[number]

/** Adds an address to a list. False if it is on it already. */
export async function insertBlock(db: Db, block: Insertable<ListBlocks>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('listBlocks')
    .values({ ...block, listId: block.listId.toLowerCase() })
    .onConflict((conflict) => conflict.columns(['listId', 'recipient']).doNothing())
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Removes an address from a list. False if it is not on it. */
export async function deleteBlock(db: Db, listId: string, recipient: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('listBlocks')
    .where('listId', '=', listId.toLowerCase())
    .where('recipient', '=', recipient)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Recipients that are blocked on a list, keyed by their spelling in `recipients`. */
export async function blockedRecipients(
  db: Db,
  listId: string,
  recipients: readonly string[],
): Promise<Map<string, { reason: string }>> {
  if (recipients.length === 0) return new Map()
  const lowered = [...new Set(recipients.map(recipientKey))]
  const rows = await db
    .selectFrom('listBlocks')
    .select(['recipient', 'reason'])
    .where('listId', '=', listId.toLowerCase())
    .where(sql<boolean>`recipient = any(${lowered}::text[])`)
    .execute()
  const reasons = new Map(rows.map(({ recipient, reason }) => [recipient, reason]))
  return new Map(
    recipients.flatMap((recipient) => {
      const reason = reasons.get(recipientKey(recipient))
      return reason === undefined ? [] : [[recipient, { reason }] as const]
    }),
  )
}
