import { type Db, batchStatements } from '@posthorn/db'
import { ensureAccountStatusRows } from '../store/account-status.ts'
import {
  type AccountRow,
  type AccountVersion,
  listAccounts,
  listVersions,
} from '../store/accounts.ts'

/**
 * Reads registrations, with one statement for all sessions that start at the same time. Results are
 * undefined for deleted accounts.
 */
export interface AccountReader {
  /** Also creates the row in `account_states`, which leases lock, if there is none. */
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
  const byAccount = new Map(rows.map((row) => [row.account, row]))
  return accounts.map((account) => byAccount.get(account))
}
