import { roleOf, serviceNames } from '@posthorn/contracts/services'
import { type Kysely, sql } from 'kysely'
import { sqlState } from '../sql-state.ts'

/**
 * SQLSTATEs of a role that exists. Roles belong to the Postgres server, so a migration of another
 * database may create the same role at the same time.
 */
const existsStates = new Set(['42710', '23505'])

/**
 * Creates the Postgres roles of services that are missing at the server, such as the role of a
 * service that is new in this release. A migration that grants privileges needs the roles.
 */
export async function createMissingRoles(db: Kysely<unknown>): Promise<void> {
  const roles: string[] = serviceNames.map(roleOf)
  const { rows } = await sql<{ name: string }>`
    select rolname as name from pg_roles where rolname = any(${roles})`.execute(db)
  const existing = new Set(rows.map(({ name }) => name))
  for (const role of roles.filter((name) => !existing.has(name))) {
    try {
      await sql`create role ${sql.id(role)} login`.execute(db)
    } catch (error) {
      if (!existsStates.has(sqlState(error) ?? '')) throw error
    }
  }
}
