import type { Db } from '@posthorn/db'

/** Id of the account's last log line. */
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

/** Log lines of an account after one id and up to another, oldest first. */
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
