import { messageOf } from '@posthorn/errors'
import { parseIndexMigration } from '../migrate/index-migration.ts'
import type { MigrationFile } from '../migrate/migration-files.ts'
import { checkAlterTable } from './alter-table.ts'
import { type CheckedFile, type Fault, isInUse, parseFile } from './checked-file.ts'
import { statementRules } from './statement-rules.ts'
import type { Statement } from './statements.ts'

/**
 * Name of the last migration to which the rules for migrations do not apply. Older migrations are
 * not checked, because applied migrations are never changed.
 */
export const lastUnchecked = '0033-random-mailbox-numbers'

/**
 * Checks migrations after `lastUnchecked` against the rules of libs/db/README.md. Returns one line
 * per fault with file, line, problem and remedy.
 */
export function checkMigrations(files: readonly MigrationFile[]): string[] {
  const faults: string[] = []
  const earlier: Statement[] = []
  for (const migration of files) {
    const file = parseFile(migration, [...earlier])
    earlier.push(...file.statements)
    if (file.name <= lastUnchecked) continue
    const breaches = [...checkStatements(file), ...checkLocks(file), ...checkKind(file, migration)]
    faults.push(...breaches.map(({ line, text }) => `${file.name}.sql:${line}: ${text}`))
  }
  return faults
}

function checkStatements(file: CheckedFile): Fault[] {
  return file.statements.flatMap((statement) => {
    const texts = [
      ...statementRules.map((rule) => rule(statement, file)),
      ...checkAlterTable(statement, file),
    ]
    return texts.flatMap((text) => (text === undefined ? [] : [{ line: statement.line, text }]))
  })
}

/**
 * Reports a migration that locks two tables. Such a migration would keep the first table locked
 * while it waits for the lock of the second table.
 */
function checkLocks(file: CheckedFile): Fault[] {
  if (file.kind !== 'transaction') return []
  const tables = new Set<string>()
  return file.statements.flatMap(({ text, line }) => {
    const isNew = lockedTables(text).filter((table) => isInUse(file, table) && !tables.has(table))
    for (const table of isNew) tables.add(table)
    if (isNew.length === 0 || tables.size < 2) return []
    const names = [...tables].join(' and ')
    return [
      {
        line,
        text: `the transaction locks ${names}: while it waits for one table, services wait for the other. Write one file per table.`,
      },
    ]
  })
}

const lockingStatements = [
  /^alter table (?:if exists )?(?:only )?(\w+)/,
  /^drop table (?:if exists )?(\w+)/,
  /^create (?:or replace )?(?:constraint )?trigger .*? on (\w+)/,
  /^drop trigger .*? on (\w+)/,
  /^create (?:unique )?index .*?\bon (?:only )?(\w+)/,
  /^truncate (?:table )?(\w+)/,
]

/**
 * Lists the tables on which a statement of a migration takes a lock that blocks readers or writers.
 */
function lockedTables(text: string): string[] {
  const target = lockingStatements.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])
  // A foreign key in a new table also locks the referenced table against writers. A foreign key
  // between two existing tables is not counted here, because it always locks both tables.
  if (!/^create (?:unlogged )?table\b/.test(text)) return target
  return [...target, ...[...text.matchAll(/\breferences (\w+)/g)].flatMap(([, name]) => name ?? [])]
}

function checkKind(file: CheckedFile, { text }: MigrationFile): Fault[] {
  if (file.kind === 'transaction') return checkMarkers(text)
  const [first, second] = file.statements
  if (first === undefined || second !== undefined) {
    const line = second?.line ?? 1
    return [
      {
        line,
        text: 'a file without a transaction has one statement, so that an interrupted one can be repeated. Write one file per statement.',
      },
    ]
  }
  if (file.kind === 'batches') return checkBatch(first)
  try {
    parseIndexMigration(text)
    return []
  } catch (error) {
    return [
      { line: first.line, text: `${messageOf(error)}. Move other statements to another file.` },
    ]
  }
}

/**
 * Reports markers such as `-- batches` that have no effect, because they are not in the first line
 * of the migration's file.
 */
function checkMarkers(text: string): Fault[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      /^\s*--\s*(?:no transaction|batches)\b/i.test(line)
        ? [{ line: at + 1, text: `the first line of the file must be exactly "${marker(line)}".` }]
        : [],
    )
}

function marker(line: string): string {
  return line.toLowerCase().includes('batches') ? '-- batches' : '-- no transaction'
}

function checkBatch({ text, line }: Statement): Fault[] {
  if (/^(?:update|delete|insert)\b/.test(text) && / limit \d+/.test(text)) return []
  return [
    {
      line,
      text: 'a batch is an update, delete or insert of rows that a subquery selects with "limit", and that it does not select again.',
    },
  ]
}
