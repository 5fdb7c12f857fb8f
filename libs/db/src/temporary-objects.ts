import { roleOf, serviceNames } from '@posthorn/contracts/services'
import { type Kysely, sql } from 'kysely'
import { sqlState } from './sql-state.ts'

/** SQLSTATE of a missing privilege to revoke a right. */
const insufficientPrivilege = '42501'

/**
 * Revokes the right to create temporary objects, which Postgres grants to everybody in each new
 * database and which no service uses. Returns the service roles that still have it, because
 * another role than the owner of the database migrates.
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
