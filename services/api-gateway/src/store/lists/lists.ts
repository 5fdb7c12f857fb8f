import { addressKey } from '@posthorn/contracts/address-key'
import { type AccountListBlocks, type Db, type PageRequest, readPage, readRows } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'

/** Recipient on a blocklist of an account, in any spelling. */
export interface ListRecipient {
  account: string
  listId: string
  recipient: string
}

function listNotFound(): AppError {
  return new AppError('not-found', 'The blocklist was not found')
}

/**
 * One page of the blocklists of all accounts, ordered by id, with the number of entries per
 * blocklist.
 */
export function listLists(db: Db, page: PageRequest) {
  const lists = db
    .selectFrom('lists')
    .select(['listId', sql<number>`blocked::int`.as('count')])
    .orderBy('listId')
  return readPage(lists, page)
}

/**
 * Number of entries on all blocklists with an id (one list per account).
 *
 * @throws AppError `not-found`
 */
export async function countBlocks(db: Db, listId: string): Promise<number> {
  const row = await db
    .selectFrom('lists')
    .select(sql<number>`blocked::int`.as('count'))
    .where('listId', '=', listId.toLowerCase())
    .executeTakeFirstOrThrow(listNotFound)
  return row.count
}

/** One page of the entries on all blocklists with an id (one list per account), newest first. */
export function listBlocks(db: Db, listId: string, page: PageRequest) {
  const blocks = db
    .selectFrom('accountListBlocks')
    .select(['recipient', 'account', 'messageId', 'source', 'reason'])
    .select(['remoteAddress', 'userAgent', 'createdAt'])
    .where('listId', '=', listId.toLowerCase())
    .orderBy('createdAt', 'desc')
    .orderBy('recipient')
    .orderBy('account')
  return readRows(blocks, page)
}
export type BlockRow = Awaited<ReturnType<typeof listBlocks>>[number]

/** Adds an address to a blocklist of an account. False if the address is on the list already. */
export async function insertBlock(db: Db, block: Insertable<AccountListBlocks>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('accountListBlocks')
    .values({ ...block, ...keyOf(block) })
    .onConflict((conflict) => conflict.columns(['listId', 'recipient', 'account']).doNothing())
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Removes an address from all blocklists with an id (one list per account). False if no list
 * contained the address.
 */
export async function deleteBlocks(db: Db, listId: string, recipient: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('accountListBlocks')
    .where('listId', '=', listId.toLowerCase())
    .where('recipient', '=', addressKey(recipient))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Sources of the blocklist entries that a recipient made through a link. The recipient can also
 * remove them through a link.
 */
const linkSources = ['form', 'one-click'] as const

/**
 * Removes a blocklist entry that the recipient made through a link of the account. False if no such
 * entry exists.
 */
export async function deleteLinkBlock(db: Db, entry: ListRecipient): Promise<boolean> {
  const { account, listId, recipient } = keyOf(entry)
  const { numDeletedRows } = await db
    .deleteFrom('accountListBlocks')
    .where('listId', '=', listId)
    .where('recipient', '=', recipient)
    .where('account', '=', account)
    .where('source', 'in', linkSources)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Origin of a recipient's entry on a blocklist: a link or the API. Undefined if the recipient is
 * not blocked.
 */
export async function findBlockOrigin(
  db: Db,
  entry: ListRecipient,
): Promise<'link' | 'api' | undefined> {
  const { account, listId, recipient } = keyOf(entry)
  const row = await db
    .selectFrom('accountListBlocks')
    .select('source')
    .where('listId', '=', listId)
    .where('recipient', '=', recipient)
    .where('account', '=', account)
    .executeTakeFirst()
  if (!row) return undefined
  return linkSources.some((source) => source === row.source) ? 'link' : 'api'
}

/**
 * Recipients that are blocked on a mailing list of an account. The keys of the map are the
 * addresses as spelled in `recipients`.
 */
export async function blockedRecipients(
  db: Db,
  { account, listId }: Pick<ListRecipient, 'account' | 'listId'>,
  recipients: readonly string[],
): Promise<Map<string, { reason: string }>> {
  if (recipients.length === 0) return new Map()
  const keys = [...new Set(recipients.map(addressKey))]
  const rows = await db
    .selectFrom('accountListBlocks')
    .select(['recipient', 'reason'])
    .where('account', '=', account)
    .where('listId', '=', listId.toLowerCase())
    .where(sql<boolean>`recipient = any(${keys}::text[])`)
    .execute()
  const reasons = new Map(rows.map(({ recipient, reason }) => [recipient, reason]))
  return new Map(
    recipients.flatMap((recipient) => {
      const reason = reasons.get(addressKey(recipient))
      return reason === undefined ? [] : [[recipient, { reason }] as const]
    }),
  )
}

/** Key of a blocklist entry: the form in which lists and addresses are stored and compared. */
export function keyOf({ account, listId, recipient }: ListRecipient): ListRecipient {
  return { account, listId: listId.toLowerCase(), recipient: addressKey(recipient) }
}
