import { type CheckedFile, isInUse } from './checked-file.ts'
import { splitList, type Statement } from './statements.ts'

/**
 * Pattern of function calls in default expressions for which Postgres computes one value for all
 * existing rows of a table.
 */
const stableCalls = /\b(?:now|transaction_timestamp|statement_timestamp) ?\(\)/g

const notValidFirst =
  'Add it with "not valid", and check the existing rows by "validate constraint" in a later file.'

interface ActionRule {
  matches: (action: string) => boolean
  fault: string
}

/**
 * Actions of `alter table` during which Postgres rewrites or scans the table while it holds the
 * strongest table lock.
 */
const actionRules: readonly ActionRule[] = [
  {
    matches: (action) => /^alter (?:column )?\w+ (?:set data )?type /.test(action),
    fault:
      'a change of type rewrites the table. Add a column of the new type, fill it in a "-- batches" file, and drop the old one in a later release.',
  },
  {
    matches: (action) => isAddColumn(action) && hasVolatileDefault(action),
    fault:
      'a default that differs per row rewrites the table. Add the column without it, then "set default" in a statement of its own, and fill existing rows in a "-- batches" file.',
  },
  {
    matches: (action) =>
      isAddColumn(action) && /\bgenerated (?:always|by default) as\b|\b\w*serial\b/.test(action),
    fault:
      'a generated, identity or serial column rewrites the table. Write the value in the code that inserts rows.',
  },
  {
    matches: (action) =>
      isAddColumn(action) && /\bnot null\b/.test(action) && !/\bdefault\b/.test(action),
    fault:
      'a column "not null" without a default fails on existing rows, and for inserts of the previous release. Give it a default.',
  },
  {
    matches: (action) => isAddColumn(action) && /\b(?:check|references)\b/.test(action),
    fault: `a constraint in "add column" scans the table. ${notValidFirst}`,
  },
  {
    matches: (action) =>
      action.startsWith('add ') &&
      /\b(?:unique|primary key|exclude)\b/.test(action) &&
      !usesIndex(action),
    fault:
      'the index of this constraint blocks writers while it is built. Build a unique index concurrently, then "add constraint … unique using index".',
  },
  {
    matches: (action) =>
      isAddConstraint(action) && /\b(?:check|foreign key)\b/.test(action) && !isNotValid(action),
    fault: `the constraint scans the table. ${notValidFirst}`,
  },
  {
    matches: (action) => /^set (?:logged|unlogged|tablespace|access method)\b/.test(action),
    fault: 'this rewrites the table. Create a new table and copy the rows in a "-- batches" file.',
  },
]

/** Checks an `alter table` statement against the rules for migrations and returns the faults. */
export function checkAlterTable({ text }: Statement, file: CheckedFile): string[] {
  const match = /^alter table (?:if exists )?(?:only )?(?<table>\w+) (?<actions>.*)$/.exec(text)
  const { table, actions } = match?.groups ?? {}
  if (table === undefined || actions === undefined || !isInUse(file, table)) return []
  return splitList(actions).flatMap((action) => [
    ...actionRules.filter(({ matches }) => matches(action)).map(({ fault }) => fault),
    ...checkSetNotNull(action, { table, file }),
    ...checkValidate(action, file),
  ])
}

function isAddColumn(action: string): boolean {
  return action.startsWith('add ') && !isAddConstraint(action)
}

function isAddConstraint(action: string): boolean {
  return /^add (?:constraint|check|foreign key|unique|primary key|exclude)\b/.test(action)
}

function isNotValid(action: string): boolean {
  return action.endsWith(' not valid')
}

function usesIndex(action: string): boolean {
  return /\busing index\b/.test(action)
}

function hasVolatileDefault(action: string): boolean {
  const value = /\bdefault (?<value>.*)$/.exec(action)?.groups?.['value'] ?? ''
  return /\w ?\(/.test(value.replaceAll(stableCalls, '').replace(/\b(?:check|references) .*$/, ''))
}

interface TableContext {
  table: string
  file: CheckedFile
}

/**
 * Returns faults of `set not null`. Postgres scans the whole table unless a validated check
 * constraint proves that the column contains no null.
 */
function checkSetNotNull(action: string, { table, file }: TableContext): string[] {
  const column = /^alter (?:column )?(\w+) set not null$/.exec(action)?.[1]
  if (column === undefined) return []
  const check = new RegExp(
    `^alter table (?:only )?${table} .*\\badd constraint (\\w+) check \\(${column} is not null\\) not valid`,
  )
  const names = file.earlier.flatMap(({ text }) => check.exec(text)?.[1] ?? [])
  const isValidated = names.some((name) =>
    file.earlier.some(({ text }) => text.endsWith(`validate constraint ${name}`)),
  )
  if (isValidated) return []
  return [
    `"set not null" scans the table. In files before, add constraint … check (${column} is not null) not valid, then validate it.`,
  ]
}

/**
 * Returns faults of `validate constraint`. In the transaction that adds the constraint, the
 * validation would scan the table while the transaction holds the lock for adding the constraint.
 */
function checkValidate(action: string, file: CheckedFile): string[] {
  const name = /^validate constraint (\w+)$/.exec(action)?.[1]
  if (name === undefined) return []
  const isAddedHere = file.statements.some(({ text }) => text.includes(`add constraint ${name} `))
  if (!isAddedHere) return []
  return [
    `${name} is validated under the lock of the statement that adds it. Validate it in a file of its own.`,
  ]
}
