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

export interface LineRange {
  /** Id of a line of the account's protocol log; the listing starts after this line. */
  after: string
  /** Id of the last line of the account's protocol log that is listed. */
  upTo: string
  limit: number
  /** True to leave out the log lines before the reply to a login. */
  afterLogin: boolean
}

/** Log lines of an account, oldest first. */
export function listLines(db: Db, account: string, { after, upTo, limit, afterLogin }: LineRange) {
  return db
    .selectFrom('accountLogs')
    .select(['id', 'line'])
    .where('account', '=', account)
    .$if(afterLogin, (query) => query.where('afterLogin', '=', true))
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(limit)
    .execute()
}
