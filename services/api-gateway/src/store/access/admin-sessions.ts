import { type AdminRole, stepUpMinutes } from '@posthorn/contracts/admin/roles'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Session of a person at the administration pages, with the rights that the person has now. */
export interface AdminSession {
  /** SHA-256 hash (hex) of the credential that admin-ui sends for the session. */
  readonly hash: string
  readonly session: string
  readonly person: string
  readonly email: string
  readonly role: AdminRole
  /** True if the person has the right to read mail and has activated the right in this session. */
  readonly readsMail: boolean
  /** True if the last sign-in or repeated factor is recent enough for operations with step-up. */
  readonly hasFreshFactor: boolean
}

/**
 * Finds sessions by the hashes of their credentials, in one query. The result has the order of the
 * hashes, with undefined for a session that does not exist, is idle or expired, or whose person is
 * disabled. Postgres compares all times, so that clocks of the services do not matter.
 */
export async function findAdminSessions(
  db: Db,
  hashes: readonly string[],
): Promise<(AdminSession | undefined)[]> {
  const { rows } = await sql<AdminSession>`
    select credential_hash as hash, session, person, email, role,
      may_read_mail and coalesce(mail_until > now(), false) as reads_mail,
      factor_at > now() - make_interval(mins => ${stepUpMinutes}) as has_fresh_factor
    from admin_sessions_by_credentials(${hashes}::text[])
  `.execute(db)
  const byHash = new Map(rows.map((row) => [row.hash, row]))
  return hashes.map((hash) => byHash.get(hash))
}
