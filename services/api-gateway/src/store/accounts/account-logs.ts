import type { Db } from '@posthorn/db'

/** Id of the last line in the account's protocol log. */
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
  /** Id of a line in the account's protocol log; only later lines are listed. */
  after: string
  /** Id of the last line in the account's protocol log that may be listed. */
  upTo: string
  limit: number
  /** True to leave out the protocol log lines before the reply to a login. */
  afterLogin: boolean
}

/** Protocol log lines of an account, oldest first. */
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
