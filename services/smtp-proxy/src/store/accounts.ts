import type { Db, SendPrerequisites } from '@posthorn/db'
import { sql } from 'kysely'

/** Account fields that decide whether the account can send. */
export interface SendingAccount extends SendPrerequisites {
  shard: number
}

export async function accountExists(db: Db, account: string): Promise<boolean> {
  return (await listExistingAccounts(db, [account])).has(account)
}

/** Returns which of the given accounts exist. */
export async function listExistingAccounts(
  db: Db,
  accounts: readonly string[],
): Promise<ReadonlySet<string>> {
  if (accounts.length === 0) return new Set()
  const rows = await db
    .selectFrom('accounts')
    .select('account')
    .where('account', '=', sql<string>`any(${accounts})`)
    .execute()
  return new Set(rows.map(({ account }) => account))
}

export function findSendingAccount(db: Db, account: string): Promise<SendingAccount | undefined> {
  return db
    .selectFrom('accounts')
    .leftJoin('accountStates', 'accountStates.account', 'accounts.account')
    .select([
      'accounts.shard',
      'accounts.backend',
      'accounts.imap',
      'accounts.smtp',
      'accountStates.state',
      'accountStates.initializedAt',
      'accountStates.lastError',
    ])
    .where('accounts.account', '=', account)
    .executeTakeFirst()
}

export async function gatewayExists(db: Db, gateway: string): Promise<boolean> {
  const row = await db
    .selectFrom('gateways')
    .select('gateway')
    .where('gateway', '=', gateway)
    .executeTakeFirst()
  return row !== undefined
}
