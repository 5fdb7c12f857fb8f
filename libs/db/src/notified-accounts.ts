import { backendsThat } from '@posthorn/contracts/account-types'
import { type RawBuilder, sql } from 'kysely'

const backends = backendsThat(({ notifications }) => notifications.transport === 'pull')

/**
 * SQL condition for accounts whose changes are notified by Pub/Sub: these notifications name the
 * mailbox and arrive for an OAuth2 application. The text must match the partial index
 * `accounts_by_gmail_user`.
 */
export const isNotifiedByTopic = sql<boolean>`(backend in (${sql.join(
  backends.map((name) => sql.lit(name)),
)}))`

/**
 * SQL expression for the mailbox address by which Pub/Sub notifications name an account, in lower
 * case. The text must match the index `accounts_by_gmail_user`.
 */
export const notifiedUser = sql<string>`lower(coalesce(
  oauth2 -> 'auth' ->> 'delegatedUser', oauth2 -> 'auth' ->> 'user', email
))`

/**
 * SQL subquery for the ids of accounts whose notifications name one of the lower-case addresses.
 * The address is the login name of an account whose OAuth2 application matches `isApplication`, or
 * the mailbox address that the provider reported.
 */
export function notifiedAccountsOf(
  isApplication: RawBuilder<unknown>,
  addresses: readonly string[],
): RawBuilder<string> {
  return sql`(
    select account from accounts
    where oauth2 ->> 'provider' = ${isApplication}
      and ${notifiedUser} = any(${addresses}::text[]) and ${isNotifiedByTopic}
    union all
    select account from account_states
    where lower(mailbox_address) = any(${addresses}::text[]) and mailbox_address is not null
  )`
}
