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
/** Maximum number of sessions in a list of the sessions of signed-in people. */
const maxListed = 1_000

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

/** Session in a list of sessions, with its person. */
export interface ListedSession {
  id: string
  createdAt: Date
  seenAt: Date
  expiresAt: Date
  address: string
  browser: string
  person: string
  email: string
  name: string
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

/**
 * Activates the right to read mail of a session for `minutes`. Returns the end of the right.
 * Undefined if the session has ended.
 */
export async function startMailReading(
  db: Db,
  id: string,
  { reason, minutes }: { reason: string; minutes: number },
): Promise<Date | undefined> {
  const row = await db
    .updateTable('adminSessions')
    .set({ mailUntil: sql<Date>`now() + make_interval(mins => ${minutes})`, mailReason: reason })
    .where('id', '=', id)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('adminPeople')
          .select('adminPeople.id')
          .whereRef('adminPeople.id', '=', 'adminSessions.person')
          .where('mayReadMail', '=', true),
      ),
    )
    .returning('mailUntil')
    .executeTakeFirst()
  return row?.mailUntil ?? undefined
}

/** Ends the right to read mail of a session, or of all sessions of a person. */
export async function endMailReading(
  db: Db,
  of: { session: string } | { person: string },
): Promise<string[]> {
  const rows = await db
    .updateTable('adminSessions')
    .set({ mailUntil: null, mailReason: null })
    .where('session' in of ? 'id' : 'person', '=', 'session' in of ? of.session : of.person)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Lists valid sessions of a person, or of all people, latest first. */
export function listSessions(db: Db, person?: string): Promise<ListedSession[]> {
  return db
    .selectFrom('adminSessions')
    .innerJoin('adminPeople', 'adminPeople.id', 'adminSessions.person')
    .select(['adminSessions.id', 'adminSessions.createdAt', 'seenAt', 'expiresAt', 'address'])
    .select(['browser', 'person', 'email', 'name'])
    .where(isValid)
    .$if(person !== undefined, (query) => query.where('person', '=', person as string))
    .orderBy('seenAt', 'desc')
    .limit(maxListed)
    .execute()
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

export async function countSessions(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('adminSessions')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where(isValid)
    .executeTakeFirstOrThrow()
  return count
}

/** Deletes expired and idle sessions of signed-in people. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  await db
    .deleteFrom('adminSessions')
    .where(sql<boolean>`not (${isValid})`)
    .execute()
}
