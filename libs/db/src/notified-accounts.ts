import { backendsThat } from '@posthorn/contracts/account-types'
import { type RawBuilder, sql } from 'kysely'

const backends = backendsThat(({ notifications }) => notifications.transport === 'pull')

/**
 * SQL condition for accounts whose Pub/Sub notifications name a mailbox of an OAuth2 application.
 * Spelled for the partial index `accounts_by_gmail_user`.
 */
export const isNotifiedByTopic = sql<boolean>`(backend in (${sql.join(
  backends.map((name) => sql.lit(name)),
)}))`

/**
 * SQL expression of the mailbox address of an account that is notified by a Pub/Sub topic, in lower
 * case as in notifications. Spelled as in the index `accounts_by_gmail_user`.
 */
export const notifiedUser = sql<string>`lower(coalesce(
  oauth2 -> 'auth' ->> 'delegatedUser', oauth2 -> 'auth' ->> 'user', email
))`

/**
 * Ids of the accounts whose notifications name one of the addresses (in lower case): by the login
 * name, for the applications that `isApplication` compares with, or by the mailbox address of the
 * provider.
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
