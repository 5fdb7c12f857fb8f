import { type Db, batchStatements } from '@posthorn/db'
import {
  type AccountRow,
  type AccountVersion,
  listAccounts,
  listVersions,
} from '../store/accounts.ts'
import { ensureAccountStatusRows } from '../store/account-states.ts'

/** Registrations, read for many sessions that begin at the same time in one statement. Undefined where an account is gone. */
export interface AccountReader {
  /** Makes the row every write about the account goes by, where there is none. */
  load(account: string): Promise<AccountRow | undefined>
  findVersion(account: string): Promise<AccountVersion | undefined>
}

export function createAccountReader(db: Db): AccountReader {
  return {
    load: batchStatements(async (accounts: string[]) => {
      await ensureAccountStatusRows(db, accounts)
      return inOrder(accounts, await listAccounts(db, accounts))
    }),
    findVersion: batchStatements(async (accounts: string[]) =>
      inOrder(accounts, await listVersions(db, accounts)),
    ),
  }
}

function inOrder<Row extends { account: string }>(
  accounts: readonly string[],
  rows: readonly Row[],
): (Row | undefined)[] {
  const found = new Map(rows.map((row) => [row.account, row]))
  return accounts.map((account) => found.get(account))
}
