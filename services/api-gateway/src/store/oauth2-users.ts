import type { StoredOAuth2, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * The other account that logs in as this user by this application, if there is one. Of two that register the same user at once the
 * second waits for the first, and finds it.
 */
export async function findOtherAccountOfUser(
  tx: Tx,
  account: string,
  { provider, auth }: StoredOAuth2,
): Promise<string | undefined> {
  const { user, delegatedUser = '' } = auth ?? {}
  if (user === undefined) return undefined
  const key = JSON.stringify([provider, user.toLowerCase(), delegatedUser.toLowerCase()])
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 17))`.execute(tx)
  const row = await tx
    .selectFrom('accounts')
    .select('account')
    .where('account', '<>', account)
    .where(sql<boolean>`oauth2 ->> 'provider' = ${provider}`)
    .where(sql<boolean>`lower(oauth2 -> 'auth' ->> 'user') = lower(${user})`)
    // Of one user there may be as many shared mailboxes as there are.
    .where(
      sql<boolean>`lower(coalesce(oauth2 -> 'auth' ->> 'delegatedUser', '')) = lower(${delegatedUser})`,
    )
    .limit(1)
    .executeTakeFirst()
  return row?.account
}
