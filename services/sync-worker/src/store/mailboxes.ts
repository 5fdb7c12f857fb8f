import type { Db, Mailboxes, Tx } from '@posthorn/db'
import { type Selectable, sql, type Transaction, type UpdateObject } from 'kysely'

/** Row of the table `mailboxes`: a mailbox (folder) of an account at an IMAP server. */
export type MailboxRow = Selectable<Mailboxes>

/** True if a mailbox can contain messages (RFC 9051 §7.3.1). */
export function isSelectable({ attributes }: Pick<Listing, 'attributes'>): boolean {
  return !attributes.some((attribute) => /^\\(?:noselect|nonexistent)$/i.test(attribute))
}

/** Columns of a mailbox row whose values come from a LIST response. */
export interface Listing {
  path: string
  name: string
  delimiter: string | null
  parentPath: string | null
  specialUse: string | null
  specialUseSource: 'user' | 'extension' | 'name' | null
  attributes: string[]
  subscribed: boolean
  mailboxId: string | null
}

function selectOf(db: Db | Tx, account: string) {
  return db.selectFrom('mailboxes').selectAll().where('account', '=', account)
}

/** Lists the mailbox rows of an account by path. */
export function listMailboxRows(db: Db | Tx, account: string): Promise<MailboxRow[]> {
  return selectOf(db, account).orderBy('path').execute()
}

/** Finds the mailbox rows of an account by path. Paths without a row are left out. */
export function listMailboxRowsByPath(
  db: Db,
  account: string,
  paths: readonly string[],
): Promise<MailboxRow[]> {
  if (paths.length === 0) return Promise.resolve([])
  return selectOf(db, account).where('path', 'in', paths).execute()
}

/** Finds a mailbox row by its id in the table. */
export function findMailboxById(db: Db, id: string): Promise<MailboxRow | undefined> {
  return db.selectFrom('mailboxes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Finds the mailbox row of an account by path. */
export function findMailbox(
  db: Db,
  account: string,
  path: string,
): Promise<MailboxRow | undefined> {
  return selectOf(db, account).where('path', '=', path).executeTakeFirst()
}

/**
 * Finds the mailbox with a special use such as `\Sent`. If several mailboxes have the special use,
 * returns the mailbox whose path sorts first.
 */
export function findMailboxByUse(
  db: Db,
  account: string,
  specialUse: string,
): Promise<MailboxRow | undefined> {
  return selectOf(db, account)
    .where((where) => where.fn('lower', ['specialUse']), '=', specialUse.toLowerCase())
    .orderBy('path')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Maximum mailbox number: the largest `integer` of Postgres. Message ids sent by clients may
 * contain larger numbers, up to 32 bits.
 */
const maxNumber = 0x7fff_ffff

/** Finds the mailbox row of an account by the number that message ids contain. */
export async function findMailboxByNumber(
  db: Db,
  account: string,
  number: number,
): Promise<MailboxRow | undefined> {
  if (number > maxNumber) return undefined
  return selectOf(db, account).where('number', '=', number).executeTakeFirst()
}

/** Finds mailboxes of an account by their numbers. Unknown numbers are left out. */
export function findMailboxesByNumber(
  db: Db,
  account: string,
  numbers: readonly number[],
): Promise<MailboxRow[]> {
  return selectOf(db, account)
    .where('number', '=', sql<number>`any(${numbers}::integer[])`)
    .execute()
}

/** UIDVALIDITY and UIDNEXT of a mailbox (RFC 9051 §2.3.1.1), as decimal numbers. */
export interface UidCounters {
  uidValidity: string
  uidNext: string
}

/** Columns of a mailbox row to insert. */
export type NewMailbox = Listing & {
  number: number
  indexer: MailboxRow['indexer']
} & Partial<UidCounters>

/** Maximum mailbox rows per statement: Postgres allows 65,535 parameters per statement. */
const maxRowsPerInsert = 1_000

/** Inserts rows for new mailboxes, which have no index yet. Requires the account's lease. */
export async function insertMailboxes(
  tx: Tx,
  account: string,
  mailboxes: readonly NewMailbox[],
): Promise<MailboxRow[]> {
  const inserted: MailboxRow[] = []
  for (let at = 0; at < mailboxes.length; at += maxRowsPerInsert) {
    const rows = mailboxes
      .slice(at, at + maxRowsPerInsert)
      .map((row) => ({ account, ...row, attributes: JSON.stringify(row.attributes) }))
    inserted.push(...(await tx.insertInto('mailboxes').values(rows).returningAll().execute()))
  }
  return inserted
}

type Tables = Tx extends Transaction<infer T> ? T : never

/** Updates columns of a mailbox row. Requires the account's lease. */
export function updateMailboxRow(
  tx: Tx,
  id: string,
  set: UpdateObject<Tables, 'mailboxes'>,
): Promise<MailboxRow> {
  return tx
    .updateTable('mailboxes')
    .set(set)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Updates a mailbox row from a LIST response, including its path. Requires the account's lease. */
export function updateListing(
  tx: Tx,
  id: string,
  { attributes, mailboxId, ...listing }: Listing,
): Promise<MailboxRow> {
  return updateMailboxRow(tx, id, {
    ...listing,
    attributes: JSON.stringify(attributes),
    ...(mailboxId !== null && { mailboxId }),
    listed: true,
    missingSince: null,
  })
}

/**
 * Marks mailboxes as missing that the last LIST response left out. Requires the account's lease.
 */
export async function markMissing(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('mailboxes')
    .set({ listed: false, missingSince: sql<Date>`now()` })
    .where('id', 'in', ids)
    .execute()
}

/** Deletes mailboxes with their indexes. Requires the account's lease. */
export async function deleteMailboxes(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.deleteFrom('mailboxes').where('id', 'in', ids).execute()
}
