import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import { isValid } from './sessions.ts'

/** Role and right to read mail of a session that has not ended. */
export interface OpenSession {
  id: string
  role: AdminRole
  mayReadMail: boolean
  /** True while the session's right to read mail is active. */
  readsMail: boolean
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
