import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { Pool } from 'pg'
import type { Db } from './connect.ts'
import { setRoleTimeouts } from './role-timeouts.ts'
import { revokeTemporaryObjects } from './temporary-objects.ts'

const directory = fileURLToPath(new URL('./migrations/', import.meta.url))

/** Lists the migration files by number, without `.sql`. */
async function listMigrations(): Promise<string[]> {
  const files = await readdir(directory)
  return files
    .filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file))
    .map((file) => file.slice(0, -4))
    .sort()
}

/** True if all migrations of this release are applied. Newer ones are allowed. */
export async function schemaIsReady(db: Db): Promise<boolean> {
  const required = await listMigrations()
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const applied = new Set(rows.map(({ name }) => name))
  return required.every((name) => applied.has(name))
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const names = await listMigrations()
  const entries = names.map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(join(directory, `${name}.sql`), 'utf8')
    return [name, { up: async (db) => void (await sql.raw(text).execute(db)) }]
  })
  return Object.fromEntries(await Promise.all(entries))
}

export interface MigrateOptions {
  /** Passwords by database role. Other roles keep theirs. */
  rolePasswords?: Record<string, string>
  /** Called with the roles whose timeouts the owner may not set. */
  onTimeoutsRefused?: (roles: readonly string[]) => void
  /** Called with the roles that can still create temporary objects. */
  onTemporaryKept?: (roles: readonly string[]) => void
}

/**
 * True if a newer release has migrated the schema, so that this release runs on it. The migrator
 * would reject its migrations as unknown.
 */
async function isOfNewerRelease(db: Kysely<unknown>): Promise<boolean> {
  const tables =
    await sql`select from pg_class where oid = to_regclass('kysely_migration')`.execute(db)
  if (tables.rows.length === 0) return false
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const applied = new Set(rows.map(({ name }) => name))
  const own = await listMigrations()
  return own.length < applied.size && own.every((name) => applied.has(name))
}

/**
 * Applies missing migrations as the owner of the database, sets passwords and timeouts of the
 * service roles, and revokes the right to create temporary objects. Forward only. Concurrent calls
 * wait for each other. Returns the applied names.
 */
export async function migrate(
  ownerUrl: string,
  { rolePasswords = {}, onTimeoutsRefused, onTemporaryKept }: MigrateOptions = {},
): Promise<string[]> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({
      pool: new Pool({
        connectionString: ownerUrl,
        application_name: 'migrate',
        // Postgres ends a session, and with it its locks, 1 s after the process has ended.
        // Otherwise it would first finish the statement, or wait for the lock of migrations.
        options: '-c client_connection_check_interval=1000',
        max: 2,
        connectionTimeoutMillis: 10_000,
      }),
    }),
  })
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } })
    const { error, results = [] } = (await isOfNewerRelease(db))
      ? { error: undefined }
      : await migrator.migrateToLatest()
    if (error) throw error
    await sql`grant select on kysely_migration to public`.execute(db)
    await setPasswords(db, rolePasswords)
    const refused = await setRoleTimeouts(db)
    if (refused.length > 0) onTimeoutsRefused?.(refused)
    const temporary = await revokeTemporaryObjects(db)
    if (temporary.length > 0) onTemporaryKept?.(temporary)
    return results.map((result) => result.migrationName)
  } finally {
    await db.destroy()
  }
}

async function setPasswords(db: Kysely<unknown>, passwords: Record<string, string>): Promise<void> {
  for (const [role, password] of Object.entries(passwords)) {
    if (!/^posthorn_[a-z_]+$/.test(role))
      throw new Error('passwords have a name that is no service role')
    await sql`alter role ${sql.id(role)} login password ${sql.lit(password)}`.execute(db)
  }
}
