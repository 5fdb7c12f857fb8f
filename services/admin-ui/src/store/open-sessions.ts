import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

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
    .selectFrom('adminSessions as session')
    .innerJoin('adminPeople as person', 'person.id', 'session.person')
    .select([
      'session.id',
      'person.role',
      'person.mayReadMail',
      sql<boolean>`coalesce(session.mail_until > now(), false)`.as('readsMail'),
    ])
    .where('session.id', 'in', [...ids])
    .where('person.disabled', '=', false)
    .where(sql<boolean>`session.expires_at > now()`)
    .where(sql<boolean>`session.seen_at > now() - interval '1 hour'`)
    .execute()
}
