import type { Db } from '@posthorn/db'
import { accountNotFound } from './accounts.ts'

/** Whether an account's protocol log is switched on. */
export async function isLogged(db: Db, account: string): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('logs')
    .where('account', '=', account)
    .executeTakeFirst()
  if (!row) throw accountNotFound()
  return row.logs
}

/** The id of an account's last line. */
export async function findLastLine(db: Db, account: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('accountLogs')
    .select('id')
    .where('account', '=', account)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** The lines of an account behind one and up to another, oldest first. */
export function listLines(
  db: Db,
  account: string,
  { after, upTo, limit }: { after: string; upTo: string; limit: number },
) {
  return db
    .selectFrom('accountLogs')
    .select(['id', 'line'])
    .where('account', '=', account)
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(limit)
    .execute()
}
