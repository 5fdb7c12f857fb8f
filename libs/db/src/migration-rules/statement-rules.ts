import { type CheckedFile, isInUse } from './checked-file.ts'
import type { Statement } from './statements.ts'

type Rule = (statement: Statement, file: CheckedFile) => string | undefined

/** Database tables that always have few rows, regardless of the number of accounts and messages. */
const smallTables = new Set([
  'account_changes_horizon',
  'gateway_states',
  'gateways',
  'oauth2_apps',
  'paused_queues',
  'pubsub_states',
  'sealed_settings',
  'senders',
  'settings',
  'shards',
  'workers',
])

const indexRule: Rule = ({ text }, file) => {
  const { how, table } =
    /^create (?:unique )?index (?<how>concurrently )?.*?\bon (?:only )?(?<table>\w+)/.exec(text)
      ?.groups ?? {}
  if (how !== undefined || !isInUse(file, table)) return undefined
  return `the index blocks writers of ${table} while it is built. Write "create index concurrently if not exists" in a file of its own that starts with "-- no transaction".`
}

const dropIndexRule: Rule = ({ text }) =>
  /^drop index (?!concurrently )/.test(text)
    ? '"drop index" waits for all readers of the table, and others wait behind it. Write "drop index concurrently if exists" in a file of its own that starts with "-- no transaction".'
    : undefined

const concurrentlyRule: Rule = ({ text }, file) =>
  file.kind !== 'index' && /^(?:create|drop|reindex)\b.*\bconcurrently\b/.test(text)
    ? '"concurrently" is not possible in a transaction. Move the statement to a file of its own that starts with "-- no transaction".'
    : undefined

const removal =
  /^(?:drop (?:table|view|materialized view|function|type|sequence|schema|trigger)\b|alter \w+ .*\brename\b|alter table .*\bdrop (?!constraint\b|not null\b|default\b|expression\b|identity\b)|truncate\b)/

const contractRule: Rule = ({ text }, file) => {
  if (!removal.test(text.replaceAll(/\balter (?:column )?\w+ drop (?:not null|default)/g, '')))
    return undefined
  if (file.contract !== undefined) return undefined
  return 'the previous release still uses what this removes or renames. Remove it one release after the code that used it, with the line "-- contract: <first release that does not use it>".'
}

const lockRule: Rule = ({ text }) =>
  /^lock\b/.test(text)
    ? '"lock table" blocks services for the rest of the transaction. Use statements that need no explicit lock.'
    : undefined

const updateRule: Rule = ({ text }, file) => {
  const table = /^(?:update(?: only)?|delete from(?: only)?|merge into) (\w+)/.exec(text)?.[1]
  if (file.kind !== 'transaction' || !isInUse(file, table) || smallTables.has(table ?? ''))
    return undefined
  return `one statement changes all rows of ${table} and keeps them locked. Write it with a limit in a file of its own that starts with "-- batches".`
}

const copyRule: Rule = ({ text }, file) => {
  const source = /^insert into \w+ .*\bselect\b.*\bfrom (\w+)/.exec(text)?.[1]
  if (file.kind !== 'transaction' || !isInUse(file, source) || smallTables.has(source ?? ''))
    return undefined
  return `one statement copies all rows of ${source}. Copy them with a limit in a file of its own that starts with "-- batches".`
}

const unreadableRule: Rule = ({ text }) =>
  /^do\b/.test(text)
    ? 'the rules cannot read a "do" block. Write its statements as statements of the file.'
    : undefined

const controlRule: Rule = ({ text }) =>
  /^(?:begin|start|commit|rollback|end|savepoint|set|reset)\b/.test(text)
    ? 'transactions and timeouts are set by migrate. Delete the statement.'
    : undefined

const rewriteRule: Rule = ({ text }) =>
  /^(?:cluster|vacuum|reindex|refresh materialized view)\b/.test(text)
    ? 'this rewrites a table or an index under a strong lock. Leave it to operators, or build a new index concurrently.'
    : undefined

/** Rules for single SQL statements of database migrations. */
export const statementRules: readonly Rule[] = [
  indexRule,
  dropIndexRule,
  concurrentlyRule,
  contractRule,
  lockRule,
  updateRule,
  copyRule,
  unreadableRule,
  controlRule,
  rewriteRule,
]
