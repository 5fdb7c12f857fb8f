import { sql } from 'kysely'

/**
 * Address of the mailbox of a Gmail account in lower case, as notifications name it. Spelled as in
 * the index `accounts_by_gmail_user`.
 */
export const gmailUser = sql<string>`lower(coalesce(
  oauth2 -> 'auth' ->> 'delegatedUser', oauth2 -> 'auth' ->> 'user', email
))`
