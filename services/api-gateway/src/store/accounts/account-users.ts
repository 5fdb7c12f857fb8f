import type { Db, StoredOAuth2, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Finds another account that logs in as the same user with the same OAuth2 application. An advisory
 * lock serializes concurrent registrations of one user, so that the second registration finds the
 * account of the first.
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
  const row = await accountsOfUser(tx, provider, user)
    .where('account', '<>', account)
    // Compares the shared mailbox as well, because one user may have an account for each of several
    // shared mailboxes.
    .where(
      sql<boolean>`lower(coalesce(oauth2 -> 'auth' ->> 'delegatedUser', '')) = lower(${delegatedUser})`,
    )
    .executeTakeFirst()
  return row?.account
}

/** True if some account uses an OAuth2 grant of a user for an application. */
export async function isUserConnected(db: Db, app: string, user: string): Promise<boolean> {
  return (await accountsOfUser(db, app, user).executeTakeFirst()) !== undefined
}

function accountsOfUser(db: Db, app: string, user: string) {
  return db
    .selectFrom('accounts')
    .select('account')
    .where(sql<boolean>`oauth2 ->> 'provider' = ${app}`)
    .where(sql<boolean>`lower(oauth2 -> 'auth' ->> 'user') = lower(${user})`)
    .limit(1)
}
