import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import type { Db } from '../connect.ts'
import { defaultLockTimeoutMs } from '../migrate-config.ts'
import { setRoleTimeouts } from '../role-timeouts.ts'
import { revokeTemporaryObjects } from '../temporary-objects.ts'
import { listMigrations, type MigrationFile, readMigrations } from './migration-files.ts'
import type { ReportProgress } from './progress.ts'
import { MigrationRun } from './run-migrations.ts'

/** True if the database has all migrations of this release. Newer migrations are allowed. */
export async function schemaIsReady(db: Db): Promise<boolean> {
  const required = await listMigrations()
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const applied = new Set(rows.map(({ name }) => name))
  return required.every((name) => applied.has(name))
}

export interface MigrateOptions {
  /** Passwords of the services by database role. Other roles keep their passwords. */
  rolePasswords?: Readonly<Record<string, string>>
  /**
   * Maximum wait of a migration for a lock behind which statements of services queue. Default 3 s:
   * 1 s less than the statement timeout of api-gateway.
   */
  lockTimeoutMs?: number
  /** Maximum time of retries per database migration. Default 10 min. */
  maxWaitMs?: number
  /** Called with each step of a migration. */
  onProgress?: ReportProgress
  /** Called with the service roles whose timeouts the owner of the database may not set. */
  onTimeoutsRefused?: (roles: readonly string[]) => void
  /** Called with the service roles that can still create temporary objects in Postgres. */
  onTemporaryKept?: (roles: readonly string[]) => void
  /** Migrations to apply. Default: the migrations of this release. */
  migrations?: readonly MigrationFile[]
}

/**
 * Applies missing migrations as the owner of the database, sets passwords and timeouts of the
 * service roles, and revokes the right to create temporary objects. Forward only. Concurrent calls
 * wait for each other. A call after an interrupted call continues. Returns the applied names.
 *
 * @throws MigrationBlockedError if a lock is not available within `maxWaitMs`
 */
export async function migrate(ownerUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { lockTimeoutMs = defaultLockTimeoutMs, maxWaitMs = 600_000 } = options
  const { onProgress = () => undefined } = options
  const files = options.migrations ?? (await readMigrations())
  const pool = new Pool({
    connectionString: ownerUrl,
    application_name: 'migrate',
    // Maximum connections of the pool: one for the migrations, and one to find the sessions that
    // block the migrations.
    max: 2,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  // A lost connection is reported by the SQL statement that used the connection.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await db.connection().execute(async (session) => {
      await removeTimeouts(session)
      const report = onProgress
      const run = new MigrationRun(db, session, { lockTimeoutMs, maxWaitMs, report })
      return await run.run(files, () => setUpRoles(session, options))
    })
  } finally {
    await db.destroy()
  }
}

/**
 * Removes the timeouts that a role or a database may have: a migration runs for as long as it needs
 * to. Only waits for locks are limited.
 *
 * Postgres ends the session of the migration, and with the session its locks, 1 s after the migrate
 * process has ended. Otherwise Postgres would first finish the statement.
 */
async function removeTimeouts(session: Kysely<unknown>): Promise<void> {
  await sql`
    select set_config(name, '0', false) from pg_settings where name in ('statement_timeout',
      'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')`.execute(
    session,
  )
  await sql`select set_config('client_connection_check_interval', '1000', false)`.execute(session)
}

async function setUpRoles(session: Kysely<unknown>, options: MigrateOptions): Promise<void> {
  const { rolePasswords = {}, onTimeoutsRefused, onTemporaryKept } = options
  await sql`grant select on kysely_migration to public`.execute(session)
  await setPasswords(session, rolePasswords)
  const refused = await setRoleTimeouts(session)
  if (refused.length > 0) onTimeoutsRefused?.(refused)
  const temporary = await revokeTemporaryObjects(session)
  if (temporary.length > 0) onTemporaryKept?.(temporary)
}

async function setPasswords(db: Kysely<unknown>, passwords: Record<string, string>): Promise<void> {
  for (const [role, password] of Object.entries(passwords)) {
    if (!/^posthorn_[a-z_]+$/.test(role))
      throw new Error('passwords have a name that is no service role')
    await sql`alter role ${sql.id(role)} login password ${sql.lit(password)}`.execute(db)
  }
}
