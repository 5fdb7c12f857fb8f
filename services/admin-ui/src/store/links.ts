import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Set-up link, recovery link or invitation that was not used and has not expired. */
export interface StoredLink {
  id: string
  kind: 'setUp' | 'recovery' | 'invitation'
  email: string | null
  role: AdminRole
  mayReadMail: boolean
  createdAt: Date
  createdBy: string | null
  expiresAt: Date
}

export interface NewLinkRow {
  hash: string
  id: string
  kind: StoredLink['kind']
  email: string | null
  role: AdminRole
  mayReadMail: boolean
  createdBy: string | null
  /** Hours until the set-up link, recovery link or invitation expires. */
  hours: number
}

const columns = [
  'id',
  'kind',
  'email',
  'role',
  'mayReadMail',
  'createdAt',
  'createdBy',
  'expiresAt',
] as const

/**
 * Stores a set-up link, recovery link or invitation. A link that exists under the same hash, such
 * as the configured set-up link, gets a new expiry, unless it was used. Returns the expiry,
 * undefined for a used link.
 */
export async function insertLink(db: Db, link: NewLinkRow): Promise<Date | undefined> {
  const { hours, ...row } = link
  const expiresAt = sql<Date>`now() + make_interval(hours => ${hours})`
  const stored = await db
    .insertInto('adminLinks')
    .values({ ...row, expiresAt })
    .onConflict((conflict) =>
      conflict.column('hash').doUpdateSet({ expiresAt }).where('adminLinks.usedAt', 'is', null),
    )
    .returning('expiresAt')
    .executeTakeFirst()
  return stored?.expiresAt
}

function usable(db: Db) {
  return db
    .selectFrom('adminLinks')
    .select(columns)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
}

/** Finds a usable set-up link, recovery link or invitation by the hash of its token. */
export function findLink(db: Db, hash: string): Promise<StoredLink | undefined> {
  return usable(db).where('hash', '=', hash).executeTakeFirst()
}

/**
 * Marks a set-up link, recovery link or invitation as used. Returns the link to exactly one caller.
 */
export function consumeLink(tx: Tx, hash: string): Promise<StoredLink | undefined> {
  return tx
    .updateTable('adminLinks')
    .set({ usedAt: sql<Date>`now()` })
    .where('hash', '=', hash)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning(columns)
    .executeTakeFirst()
}

/** True if a set-up link exists that was not used and has not expired. */
export async function hasSetUpLink(db: Db): Promise<boolean> {
  return (await usable(db).where('kind', '=', 'setUp').limit(1).executeTakeFirst()) !== undefined
}

/** Lists the invitations that were not used and have not expired, latest first. */
export function listInvitations(db: Db): Promise<StoredLink[]> {
  return usable(db).where('kind', '=', 'invitation').orderBy('createdAt', 'desc').execute()
}

export interface LinkSelection {
  id?: string
  kind: StoredLink['kind']
  email?: string
}

/**
 * Expires unused links of a kind. Their rows stay until the retention deletes them. Returns the
 * number of links.
 */
export async function revokeLinks(db: Db, { id, kind, email }: LinkSelection): Promise<number> {
  let query = db
    .updateTable('adminLinks')
    .set({ expiresAt: sql<Date>`now()` })
    .where('kind', '=', kind)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
  if (id !== undefined) query = query.where('id', '=', id)
  if (email !== undefined) query = query.where('email', '=', email.toLowerCase())
  return Number((await query.executeTakeFirst()).numUpdatedRows)
}

/** Expires the unused links and invitations that a person has created. */
export async function revokeLinksOf(db: Db, createdBy: string): Promise<void> {
  await db
    .updateTable('adminLinks')
    .set({ expiresAt: sql<Date>`now()` })
    .where('createdBy', '=', createdBy)
    .where('usedAt', 'is', null)
    .execute()
}

/** Deletes set-up links, recovery links and invitations a day after their expiry. */
export async function deleteExpiredLinks(db: Db): Promise<void> {
  await db
    .deleteFrom('adminLinks')
    .where('expiresAt', '<', sql<Date>`now() - interval '1 day'`)
    .execute()
}
