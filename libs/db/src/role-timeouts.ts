import { roleOf, type ServiceName, serviceNames } from '@posthorn/contracts/services'
import { type Kysely, sql } from 'kysely'
import { idleInTransactionMs } from './bounded-client.ts'
import type { Db } from './connect.ts'
import { sqlState } from './sql-state.ts'

/** SQLSTATE of the Postgres error that the user lacks the privilege to change a role. */
const insufficientPrivilege = '42501'

/**
 * Maximum duration of an SQL statement of a service, which is also set for the service's Postgres
 * role. Short for api-gateway, so that API requests end before their clients time out. All values
 * exceed `defaultLockTimeoutMs`, so that statements that wait behind a migration succeed.
 */
export function statementTimeoutMs(service: ServiceName): number {
  return service === 'api-gateway' ? 4_000 : 30_000
}

/**
 * Sets the statement timeouts of the service roles in Postgres. A role that already has its timeout
 * is not changed. Returns the roles that the owner of the database may not change. Statements of
 * these roles cost more (see `connect`).
 */
export async function setRoleTimeouts(db: Kysely<unknown>): Promise<string[]> {
  const skipped: string[] = []
  for (const service of serviceNames) {
    const role = roleOf(service)
    const { rows } = await sql<{ config: string[] | null }>`
      select rolconfig as config from pg_roles where rolname = ${role}`.execute(db)
    const missing = Object.entries({
      statement_timeout: statementTimeoutMs(service),
      idle_in_transaction_session_timeout: idleInTransactionMs,
    }).filter(([name, ms]) => rows[0]?.config?.includes(`${name}=${ms}`) !== true)
    for (const [name, ms] of missing) {
      const change = sql`alter role ${sql.id(role)} set ${sql.id(name)} = ${sql.lit(ms)}`
      const isAllowed = await change.execute(db).then(() => true, toRefused)
      if (!isAllowed && !skipped.includes(role)) skipped.push(role)
    }
  }
  return skipped
}

/**
 * Returns false if Postgres denied the change of a role for lack of privileges.
 * @throws any other error
 */
function toRefused(error: unknown): false {
  if (sqlState(error) === insufficientPrivilege) return false
  throw error
}

/** True if the Postgres role of the connection has a statement timeout. */
export async function roleHasTimeout(db: Db): Promise<boolean> {
  const { rows } = await sql<{ value: string }>`
    select reset_val as value from pg_settings where name = 'statement_timeout'`.execute(db)
  return rows[0]?.value !== '0'
}
