import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const directory = fileURLToPath(new URL('../migrations/', import.meta.url))

/**
 * Way in which a migration runs, named by the first line of its file:
 *
 * - `transaction` (no marker): all statements and the record of the migration in one transaction.
 * - `index` (`-- no transaction`): one `create index concurrently` or `drop index concurrently`.
 * - `batches` (`-- batches`): one statement, repeated until it changes no row. Each batch commits.
 */
export type MigrationKind = 'transaction' | 'index' | 'batches'

/** Name, kind and SQL statements of a database migration, read from a file. */
export interface MigrationFile {
  /**
   * File name of the database migration without `.sql`. Migrations are applied in the order of
   * their names.
   */
  readonly name: string
  readonly kind: MigrationKind
  readonly text: string
}

const markers: Readonly<Record<string, MigrationKind>> = {
  '-- no transaction': 'index',
  '-- batches': 'batches',
}

/**
 * Parses the text of a migration file. The first line of the text determines the kind of the
 * migration.
 */
export function parseMigration(name: string, text: string): MigrationFile {
  const marker = text.slice(0, text.indexOf('\n')).trim()
  return { name, kind: markers[marker] ?? 'transaction', text }
}

/** Lists the names of the database migrations of this release in their order. */
export async function listMigrations(): Promise<string[]> {
  const files = await readdir(directory)
  return files
    .filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file))
    .map((file) => file.slice(0, -4))
    .sort()
}

/** Reads the database migrations of this release in their order. */
export async function readMigrations(): Promise<MigrationFile[]> {
  const names = await listMigrations()
  const read = (name: string) => readFile(join(directory, `${name}.sql`), 'utf8')
  return await Promise.all(names.map(async (name) => parseMigration(name, await read(name))))
}
