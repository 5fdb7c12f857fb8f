import { backendsThat } from '@posthorn/contracts/account-types'
import { sql } from 'kysely'

const backends = backendsThat(({ notifications }) => notifications.transport === 'pull')

/**
 * Condition for accounts whose notifications name a mailbox of an OAuth2 application. Spelled for
 * the partial index `accounts_by_gmail_user`.
 */
export const isNotifiedByTopic = sql<boolean>`(backend in (${sql.join(
  backends.map((name) => sql.lit(name)),
)}))`

/**
 * Address of the mailbox of an account that is notified by topic, in lower case as in
 * notifications. Spelled as in the index `accounts_by_gmail_user`.
 */
export const notifiedUser = sql<string>`lower(coalesce(
  oauth2 -> 'auth' ->> 'delegatedUser', oauth2 -> 'auth' ->> 'user', email
))`
