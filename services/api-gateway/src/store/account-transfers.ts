import { type Db, textArray } from '@posthorn/db'
import { sql } from 'kysely'

interface AccountIdPage {
  /**
   * Account ids to which the page of accounts is limited. If undefined, the page covers all
   * accounts.
   */
  accounts: readonly string[] | undefined
  /** Account id after which the page of accounts starts. */
  after: string | undefined
  pageSize: number
}

/**
 * Lists one page of account ids, ordered by id. `last` is the last id of the page; undefined if no
 * page follows.
 */
export async function listAccountIds(db: Db, { accounts, after, pageSize }: AccountIdPage) {
  let query = db.selectFrom('accounts').select('account')
  if (accounts) query = query.where('account', '=', anyOf(accounts))
  if (after !== undefined) query = query.where('account', '>', after)
  const rows = await query
    .orderBy('account')
    .limit(pageSize + 1)
    .execute()
  const ids = rows.slice(0, pageSize).map(({ account }) => account)
  return { ids, last: rows.length > pageSize ? ids.at(-1) : undefined }
}

/** Finds which of the ids belong to accounts. */
export async function findExistingIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('accounts')
    .select('account')
    .where('account', '=', anyOf(ids))
    .execute()
  return new Set(rows.map(({ account }) => account))
}

function anyOf(ids: readonly string[]) {
  return sql<string>`any(${textArray(ids)})`
}
