import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Whether an account lives by what this person has granted to the application. */
export async function isUserConnected(db: Db, app: string, user: string): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('account')
    .where(sql<boolean>`oauth2 ->> 'provider' = ${app}`)
    .where(sql<boolean>`lower(oauth2 -> 'auth' ->> 'user') = lower(${user})`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
