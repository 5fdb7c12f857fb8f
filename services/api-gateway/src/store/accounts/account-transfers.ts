import { type Db, textArray } from '@posthorn/db'
import { sql } from 'kysely'

interface AccountIdPage {
  /**
   * Ids of the accounts to export, to which the pages of the list are limited. If undefined, the
   * pages cover all accounts.
   */
  accounts: readonly string[] | undefined
  /** Id of the account after which the page of accounts to export starts. */
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

/** Finds which of the account ids belong to existing accounts. */
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
