import type { Db } from '@posthorn/db'

/** The one mailbox that an account may be of, where it is there and pinned. */
export async function findExpectedEmail(db: Db, account: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select('expectedEmail')
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.expectedEmail ?? undefined
}
