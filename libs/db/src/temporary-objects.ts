import { roleOf, serviceNames } from '@posthorn/contracts/services'
import { type Kysely, sql } from 'kysely'
import { sqlState } from './sql-state.ts'

/** SQLSTATE of the Postgres error that the user lacks the privilege to revoke a right. */
const insufficientPrivilege = '42501'

/**
 * Revokes the right to create temporary objects. Postgres grants this right to all roles in each
 * new database, and no service uses it. Returns the service roles that still have the right,
 * because the role that migrates is not the owner of the database.
 */
export async function revokeTemporaryObjects(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  try {
    await sql`revoke temporary on database ${sql.id(rows[0]?.name ?? '')} from public`.execute(db)
  } catch (error) {
    if (sqlState(error) !== insufficientPrivilege) throw error
  }
  const { rows: holders } = await sql<{ role: string }>`
    select rolname as role from pg_catalog.pg_roles where rolname = any(${serviceNames.map(roleOf)})
      and has_database_privilege(oid, current_database(), 'temporary') order by 1`.execute(db)
  return holders.map(({ role }) => role)
}
