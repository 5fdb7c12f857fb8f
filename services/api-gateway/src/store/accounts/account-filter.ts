import type { AccountJobFilter } from '@posthorn/contracts/schemas/job'
import { matchingStates } from '@posthorn/contracts/schemas/account-state'
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { containsText } from '../contains-text.ts'

/**
 * SQL expression of the texts in which accounts are searched: id, name and email address. The
 * Postgres index `accounts_by_text` has the same expression.
 */
const searched = sql<string>`lower(accounts.account || chr(10) || coalesce(accounts.name, '')
  || chr(10) || coalesce(accounts.email, ''))`

/**
 * SQL condition for the accounts that match a filter, in a statement about `accounts` joined with
 * `account_states`. Absent members of the filter match any account.
 */
export function matchesAccount(filter: AccountJobFilter): RawBuilder<SqlBool> {
  const { state, errorCode, query, backend, provider, worker } = filter
  const conditions = [
    state !== undefined &&
      sql`coalesce(account_states.state, 'new') in (${sql.join(matchingStates(state))})`,
    errorCode !== undefined &&
      sql`account_states.last_error ->> 'serverResponseCode' = ${errorCode}`,
    query !== undefined && containsText(searched, query),
    backend !== undefined && sql`accounts.backend = ${backend}`,
    provider !== undefined &&
      sql`accounts.oauth2 ->> 'provider' in (select id from oauth2_apps where provider = ${provider})`,
    worker !== undefined &&
      sql`accounts.shard in (select shard from shards where owner = ${worker}::uuid)`,
  ].filter((condition) => condition !== false)
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`
}
