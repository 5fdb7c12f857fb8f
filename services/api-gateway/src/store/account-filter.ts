import type { AccountJobFilter } from '@posthorn/contracts/schemas/job'
import { matchingStates } from '@posthorn/contracts/schemas/account-state'
import { type RawBuilder, sql, type SqlBool } from 'kysely'

/**
 * SQL condition for the accounts that match a filter, in a statement about `accounts` joined with
 * `account_states`. Absent members of the filter match any account.
 */
export function matchesAccount(filter: AccountJobFilter): RawBuilder<SqlBool> {
  const { state, errorCode, query, backend } = filter
  const conditions = [
    state !== undefined &&
      sql`coalesce(account_states.state, 'new') in (${sql.join(matchingStates(state))})`,
    errorCode !== undefined &&
      sql`account_states.last_error ->> 'serverResponseCode' = ${errorCode}`,
    query !== undefined && containsText(query),
    backend !== undefined && sql`accounts.backend = ${backend}`,
  ].filter((condition) => condition !== false)
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`
}

/** SQL condition for a text in the id, the name or the email address, ignoring case. */
function containsText(text: string): RawBuilder<SqlBool> {
  const contains = (column: string) =>
    sql`position(lower(${text}) in lower(${sql.ref(column)})) > 0`
  const columns = ['accounts.account', 'accounts.name', 'accounts.email']
  return sql`(${sql.join(columns.map(contains), sql` or `)})`
}
