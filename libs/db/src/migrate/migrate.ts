import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import type { Db } from '../connect.ts'
import { defaultLockTimeoutMs } from '../migrate-config.ts'
import { setRoleTimeouts } from '../role-timeouts.ts'
import { revokeTemporaryObjects } from '../temporary-objects.ts'
import { createMissingRoles } from './create-roles.ts'
import { listMigrations, type MigrationFile, readMigrations } from './migration-files.ts'
import type { ReportProgress } from './progress.ts'
import { MigrationRun } from './run-migrations.ts'

/** Differences between the migrations of this release and those applied to the database. */
export interface SchemaDifference {
  /** Names of migrations of this release that were not applied. */
  missing: string[]
  /** Names of applied migrations that this release does not have: migrations of a newer release. */
  newer: string[]
}

/** Compares the migrations of this release with those that were applied to the database. */
export async function compareSchema(db: Db): Promise<SchemaDifference> {
  const required = await listMigrations()
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const applied = rows.map(({ name }) => name)
  return {
    missing: required.filter((name) => !applied.includes(name)),
    newer: applied.filter((name) => !required.includes(name)).sort(),
  }
}

/**
 * True if all migrations of this release were applied to the database. Migrations of newer releases
 * are allowed.
 */
export async function schemaIsReady(db: Db): Promise<boolean> {
  return (await compareSchema(db)).missing.length === 0
}

export interface MigrateOptions {
  /** Passwords of the services, by database role. Roles without an entry keep their passwords. */
  rolePasswords?: Readonly<Record<string, string>>
  /**
   * Maximum time that a migration waits for a lock if statements of services have to wait behind
   * the migration. Default 3 s: 1 s less than the statement timeout of api-gateway.
   */
  lockTimeoutMs?: number
  /** Maximum time for which a failed database migration is attempted again. Default 10 min. */
  maxWaitMs?: number
  /** Called with each step of a run of database migrations. */
  onProgress?: ReportProgress
  /**
   * Called with the service roles whose timeouts the owner of the database is not allowed to set.
   */
  onTimeoutsRefused?: (roles: readonly string[]) => void
  /** Called with the service roles that can still create temporary objects in Postgres. */
  onTemporaryKept?: (roles: readonly string[]) => void
  /** Database migrations to apply. Defaults to the migrations of this release. */
  migrations?: readonly MigrationFile[]
}

/**
 * Creates missing service roles and applies missing migrations as the owner of the database, sets
 * passwords and timeouts of the service roles, and revokes the right to create temporary objects.
 * There is no way back to an earlier schema. Concurrent calls wait for each other. A call after an
 * interrupted call continues its work. Returns the names of the applied migrations.
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
    // The connection pool needs two connections: one for the migrations, and one to look up the
    // sessions that block the migrations.
    max: 2,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  // Errors of Postgres connections are ignored here, because the SQL statement that uses a lost
  // connection reports the error.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await db.connection().execute(async (session) => {
      await removeTimeouts(session)
      await createMissingRoles(session)
      const report = onProgress
      const run = new MigrationRun(db, session, { lockTimeoutMs, maxWaitMs, report })
      return await run.run(files, () => setUpRoles(session, options))
    })
  } finally {
    await db.destroy()
  }
}

/**
 * Removes timeouts that the Postgres role or the database may have. A migration may take as long as
 * needed, only its waits for locks are limited. Also makes Postgres end the session of the
 * migration, and release its locks, 1 s after the migrate process has died. Otherwise Postgres
 * would finish the current statement first.
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
