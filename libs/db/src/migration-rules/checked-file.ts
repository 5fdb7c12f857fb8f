import type { MigrationFile } from '../migrate/migration-files.ts'
import { splitStatements, type Statement } from './statements.ts'

/** Database migration with the data that the checks of migration rules need. */
export interface CheckedFile {
  readonly name: string
  readonly kind: MigrationFile['kind']
  readonly statements: readonly Statement[]
  /**
   * Tables that a migration itself creates. All other tables exist before the migration and are in
   * use.
   */
  readonly created: ReadonlySet<string>
  /**
   * Release that the comment `-- contract: <release>` of a migration names. From this release on,
   * no code uses the tables or columns that the migration removes.
   */
  readonly contract: string | undefined
  /** SQL statements of all earlier database migrations. */
  readonly earlier: readonly Statement[]
}

/** Violation of a rule for database migrations, with the line number in the migration file. */
export interface Fault {
  readonly line: number
  readonly text: string
}

/**
 * Splits a migration into its SQL statements. `earlier` are the statements of earlier migrations.
 */
export function parseFile(file: MigrationFile, earlier: readonly Statement[]): CheckedFile {
  const statements = splitStatements(file.text)
  const created = statements.flatMap(({ text }) => {
    const name = /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(text)?.[1]
    return name === undefined ? [] : [name]
  })
  const contract = /^-- contract: (\d+\.\d+\.\d+\S*)$/m.exec(file.text)?.[1]
  const { name, kind } = file
  return { name, kind, statements, created: new Set(created), contract, earlier }
}

/**
 * True if a table existed before the migration. Services then read and write the table during the
 * migration.
 */
export function isInUse(file: CheckedFile, table: string | undefined): boolean {
  return table !== undefined && !file.created.has(table)
}
