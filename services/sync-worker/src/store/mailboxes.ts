import type { Db, Mailboxes, Tx } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'

export type MailboxRow = Selectable<Mailboxes>

/** What a listing says of a mailbox. */
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

/** True if a mailbox can contain messages. */
export function isSelectable({ attributes }: Pick<Listing, 'attributes'>): boolean {
  return !attributes.some((attribute) => /^\\(?:noselect|nonexistent)$/i.test(attribute))
}

export function listMailboxRows(db: Db | Tx, account: string): Promise<MailboxRow[]> {
  return db
    .selectFrom('mailboxes')
    .selectAll()
    .where('account', '=', account)
    .orderBy('path')
    .execute()
}

export function findMailboxById(db: Db, id: string): Promise<MailboxRow | undefined> {
  return db.selectFrom('mailboxes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Those of some paths that are known. */
export function listMailboxRowsByPath(
  db: Db,
  account: string,
  paths: readonly string[],
): Promise<MailboxRow[]> {
  if (paths.length === 0) return Promise.resolve([])
  return db
    .selectFrom('mailboxes')
    .selectAll()
    .where('account', '=', account)
    .where('path', 'in', paths)
    .execute()
}

export function findMailbox(
  db: Db,
  account: string,
  path: string,
): Promise<MailboxRow | undefined> {
  return db
    .selectFrom('mailboxes')
    .selectAll()
    .where('account', '=', account)
    .where('path', '=', path)
    .executeTakeFirst()
}

/** The mailbox that has a special use, such as `\Sent`; of several the first by path. */
export function findMailboxByUse(
  db: Db,
  account: string,
  specialUse: string,
): Promise<MailboxRow | undefined> {
  return db
    .selectFrom('mailboxes')
    .selectAll()
    .where('account', '=', account)
    .where((where) => where.fn('lower', ['specialUse']), '=', specialUse.toLowerCase())
    .orderBy('path')
    .limit(1)
    .executeTakeFirst()
}

/** The largest `integer` of Postgres. */
const maxNumber = 0x7fff_ffff

/** Foreign ids may carry any 32 bits; no number of ours is above what the column holds. */
export async function findMailboxByNumber(
  db: Db,
  account: string,
  number: number,
): Promise<MailboxRow | undefined> {
  if (number > maxNumber) return undefined
  return db
    .selectFrom('mailboxes')
    .selectAll()
    .where('account', '=', account)
    .where('number', '=', number)
    .executeTakeFirst()
}

export interface UidCounters {
  uidValidity: string
  uidNext: string
}

export type NewMailbox = Listing & {
  number: number
  indexer: MailboxRow['indexer']
} & Partial<UidCounters>

/** Rows an insert takes at most: Postgres takes 65,535 parameters. */
const rowsAtOnce = 1_000

/** Adds mailboxes that were found. What is in them is not known yet. Runs under the account's lease. */
export async function insertMailboxes(
  tx: Tx,
  account: string,
  mailboxes: readonly NewMailbox[],
): Promise<MailboxRow[]> {
  const inserted: MailboxRow[] = []
  for (let at = 0; at < mailboxes.length; at += rowsAtOnce) {
    const rows = mailboxes
      .slice(at, at + rowsAtOnce)
      .map((row) => ({ account, ...row, attributes: JSON.stringify(row.attributes) }))
    inserted.push(...(await tx.insertInto('mailboxes').values(rows).returningAll().execute()))
  }
  return inserted
}

/** Takes over what a listing says of a mailbox known already, its path included. Runs under the account's lease. */
export async function updateListing(
  tx: Tx,
  id: string,
  { attributes, mailboxId, ...listing }: Listing,
): Promise<MailboxRow> {
  return tx
    .updateTable('mailboxes')
    .set({
      ...listing,
      attributes: JSON.stringify(attributes),
      ...(mailboxId === null ? {} : { mailboxId }),
      listed: true,
      missingSince: null,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A listing left them out. Runs under the account's lease. */
export async function markMissing(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('mailboxes')
    .set({ listed: false, missingSince: sql<Date>`now()` })
    .where('id', 'in', ids)
    .execute()
}

/** Removes mailboxes with all that is known of them. Runs under the account's lease. */
export async function deleteMailboxes(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.deleteFrom('mailboxes').where('id', 'in', ids).execute()
}

export interface SyncCursor {
  uidNext: number
  /** As far as our index knows; of a fast one, as the server says. */
  messages: number
  highestModseq?: bigint
}

/** Where a complete look at the mailbox ended: as long as the server says the same, nothing has changed. Runs under the account's lease. */
export async function saveCursor(
  tx: Tx,
  id: string,
  { uidNext, messages, highestModseq }: SyncCursor,
): Promise<MailboxRow> {
  return tx
    .updateTable('mailboxes')
    .set({
      uidNext: String(uidNext),
      messages,
      highestModseq: highestModseq === undefined ? null : String(highestModseq),
      syncedAt: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export interface IndexedCounters {
  uidValidity: bigint
  /** Of a fast index: where announcing begins. */
  uidNext?: number
  highestModseq?: bigint
}

/** What is known of the messages is complete as of a mod-sequence, and belongs to this UIDVALIDITY. Runs under the account's lease. */
export async function markIndexed(
  tx: Tx,
  id: string,
  { uidValidity, uidNext, highestModseq }: IndexedCounters,
): Promise<MailboxRow> {
  return tx
    .updateTable('mailboxes')
    .set({
      uidValidity: String(uidValidity),
      ...(uidNext === undefined ? {} : { uidNext: String(uidNext) }),
      highestModseq: highestModseq === undefined ? null : String(highestModseq),
      flagsComplete: true,
      idsOnly: false,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export interface EmptyMailbox {
  id: string
  uidValidity: bigint
  uidNext: number
  highestModseq?: bigint
}

/** There is nothing in them, and that is all of it. Those that nothing is known of: their rows. Runs under the leases of their accounts. */
export async function markEmpty(tx: Tx, mailboxes: readonly EmptyMailbox[]): Promise<MailboxRow[]> {
  if (mailboxes.length === 0) return []
  const column = <T>(pick: (mailbox: EmptyMailbox) => T) => sql.val(mailboxes.map(pick))
  const { rows } = await sql<MailboxRow>`
    update mailboxes m
    set uid_validity = g.uid_validity, uid_next = g.uid_next, highest_modseq = g.highest_modseq, messages = 0,
      flags_complete = true, ids_only = false, synced_at = now()
    from unnest(
      ${column(({ id }) => id)}::bigint[], ${column(({ uidValidity }) => String(uidValidity))}::bigint[],
      ${column(({ uidNext }) => uidNext)}::bigint[], ${column(({ highestModseq }) => highestModseq?.toString() ?? null)}::bigint[]
    ) as g (id, uid_validity, uid_next, highest_modseq)
    where m.id = g.id and m.uid_validity is null and not m.flags_complete
    returning m.*
  `.execute(tx)
  return rows
}

/** Ids can be made of a mailbox that is not looked after. Runs under the account's lease. */
export async function saveIdsOnly(
  tx: Tx,
  id: string,
  { number, uidValidity }: { number: number; uidValidity: bigint },
): Promise<MailboxRow> {
  return tx
    .updateTable('mailboxes')
    .set({ number, uidValidity: String(uidValidity), idsOnly: true })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A fast index is complete up to here. Runs under the account's lease. */
export async function saveUidNext(tx: Tx, id: string, uidNext: number): Promise<void> {
  await tx
    .updateTable('mailboxes')
    .set({ uidNext: String(uidNext) })
    .where('id', '=', id)
    .execute()
}

/** Voids all ids of a mailbox: new number, nothing known but what the next UID was; what has a lower one is not announced. Runs under the account's lease. */
export async function markReset(
  tx: Tx,
  id: string,
  { number, uidValidity, uidNext }: { number: number; uidValidity: bigint; uidNext: number },
): Promise<MailboxRow> {
  return tx
    .updateTable('mailboxes')
    .set({
      number,
      uidValidity: String(uidValidity),
      uidNext: String(uidNext),
      highestModseq: null,
      messages: null,
      flagsComplete: false,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Counts a commit of changes: what event ids of flag changes are made of. Runs under the account's lease. */
export async function raiseSyncEpoch(tx: Tx, id: string): Promise<string> {
  const { syncEpoch } = await tx
    .updateTable('mailboxes')
    .set((row) => ({ syncEpoch: row('syncEpoch', '+', sql<string>`1`) }))
    .where('id', '=', id)
    .returning('syncEpoch')
    .executeTakeFirstOrThrow()
  return syncEpoch
}
