import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Idle time after which a session of the administration pages ends, as in the Postgres function
 * admin_sessions_by_credentials.
 */
const idle = sql.lit('1 hour')
/** Maximum duration of a session of the administration pages. */
const longest = sql.lit('12 hours')
/** Minimum time between two writes of a session's last use to Postgres. */
const touchAfter = sql.lit('30 seconds')

/** Valid session that was found by its cookie, with its person. */
export interface StoredSession {
  readonly id: string
  readonly salt: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly factorAt: Date
  readonly mailUntil: Date | null
  readonly mailReason: string | null
  /** True if the time of the session's last use should be written to Postgres. */
  readonly isStale: boolean
  readonly person: string
  readonly email: string
  readonly name: string
  readonly role: AdminRole
  readonly mayReadMail: boolean
}

export interface NewSession {
  hash: string
  id: string
  person: string
  salt: string
  credentialHash: string
  address: string
  browser: string
}

/**
 * Postgres condition for sessions of signed-in people that have neither expired nor been idle for
 * too long.
 */
export const isValid = sql<boolean>`admin_sessions.expires_at > now()
  and admin_sessions.seen_at > now() - ${idle}::interval`

/**
 * Finds valid sessions of enabled people by the hashes of their cookies, in one query. The result
 * has the order of the hashes, with undefined for a missing session.
 */
export async function findSessions(
  db: Db,
  hashes: readonly string[],
): Promise<(StoredSession | undefined)[]> {
  const rows = await db
    .selectFrom('adminSessions')
    .innerJoin('adminPeople', 'adminPeople.id', 'adminSessions.person')
    .select(['hash', 'adminSessions.id', 'salt', 'adminSessions.createdAt', 'expiresAt'])
    .select(['factorAt', 'mailUntil', 'mailReason', 'person', 'email', 'name', 'role'])
    .select('mayReadMail')
    .select(sql<boolean>`seen_at < now() - ${touchAfter}::interval`.as('isStale'))
    .where('hash', '=', sql<string>`any(${hashes}::text[])`)
    .where('disabled', '=', false)
    .where(isValid)
    .execute()
  const byHash = new Map(rows.map((row) => [row.hash, row]))
  return hashes.map((hash) => byHash.get(hash))
}

/**
 * Inserts a session of an enabled person. With `password`, only if the stored password hash is the
 * same. False if the person is disabled or the password was changed in the meantime.
 */
export async function insertSession(
  tx: Tx,
  session: NewSession,
  { password }: { password?: string | undefined } = {},
): Promise<boolean> {
  // The lock on the row of the person makes the session wait for a concurrent change of the person.
  let person = tx
    .updateTable('adminPeople')
    .set({ signedInAt: sql<Date>`now()` })
    .where('id', '=', session.person)
    .where('disabled', '=', false)
  if (password !== undefined) person = person.where('password', '=', password)
  const { numUpdatedRows } = await person.executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  const expiresAt = sql<Date>`now() + ${longest}::interval`
  await tx
    .insertInto('adminSessions')
    .values({ ...session, expiresAt })
    .execute()
  return true
}

/** Writes the time of a session's last use, at most once in 30 s. */
export async function touchSession(db: Db, id: string): Promise<void> {
  await db
    .updateTable('adminSessions')
    .set({ seenAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where(sql<boolean>`seen_at < now() - ${touchAfter}::interval`)
    .execute()
}

/** Columns of a session that belong to the value of its cookie. */
export type SessionSecrets = Pick<NewSession, 'hash' | 'salt' | 'credentialHash'>

/** Replaces the cookie of a session. Its earlier cookie is not valid any more. */
export async function replaceSecrets(tx: Tx, id: string, secrets: SessionSecrets): Promise<void> {
  await tx.updateTable('adminSessions').set(secrets).where('id', '=', id).execute()
}

/** Stores that the person of a session has repeated a factor. False if the session has ended. */
export async function markFactorAt(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('adminSessions')
    .set({ factorAt: sql<Date>`now()` })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface EndedSelection {
  /** Id or cookie hash of the only session that is deleted. */
  id?: string | undefined
  hash?: string | undefined
  person?: string | undefined
  /** Id of a session that is not deleted. */
  except?: string | undefined
}

/**
 * Deletes the selected sessions of signed-in people. At least one member of the selection must be
 * set. Returns the ids of the deleted sessions.
 */
export async function deleteSessions(db: Db, selection: EndedSelection): Promise<string[]> {
  const { id, hash, person, except } = selection
  if (id === undefined && hash === undefined && person === undefined) return []
  let query = db.deleteFrom('adminSessions').returning('id')
  if (id !== undefined) query = query.where('id', '=', id)
  if (hash !== undefined) query = query.where('hash', '=', hash)
  if (person !== undefined) query = query.where('person', '=', person)
  if (except !== undefined) query = query.where('id', '!=', except)
  return (await query.execute()).map((row) => row.id)
}

/** Deletes expired and idle sessions of signed-in people. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  await db
    .deleteFrom('adminSessions')
    .where(sql<boolean>`not (${isValid})`)
    .execute()
}
