import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import { isValid } from './sessions.ts'

/** Maximum number of sessions in a list of the sessions of signed-in people. */
const maxListed = 1_000

/** Role and right to read mail of a session that has not ended. */
export interface OpenSession {
  id: string
  role: AdminRole
  mayReadMail: boolean
  /** True while the session's right to read mail is active. */
  readsMail: boolean
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
 * Finds the sessions that have not ended, by their ids. Idle and expired sessions and sessions of
 * disabled people are missing from the result, as for api-gateway.
 */
export function findOpenSessions(db: Db, ids: readonly string[]): Promise<OpenSession[]> {
  return db
    .selectFrom('adminSessions')
    .innerJoin('adminPeople as person', 'person.id', 'adminSessions.person')
    .select(['adminSessions.id', 'person.role', 'person.mayReadMail'])
    .select(sql<boolean>`coalesce(mail_until > now(), false)`.as('readsMail'))
    .where('adminSessions.id', 'in', [...ids])
    .where('person.disabled', '=', false)
    .where(isValid)
    .execute()
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

/** Counts the valid sessions of signed-in people. */
export async function countSessions(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('adminSessions')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where(isValid)
    .executeTakeFirstOrThrow()
  return count
}
