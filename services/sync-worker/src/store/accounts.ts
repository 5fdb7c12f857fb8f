import type { Accounts, AccountStates, Db } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'
import { accountStatusColumns } from './account-states.ts'

const columns = [
  'account',
  'shard',
  'version',
  'imap',
  'path',
  'subconnections',
  'imapIndexer',
  'notifyFrom',
  'proxy',
  'logs',
  'flushEpoch',
  'createdAt',
] as const

/** What a session needs to know of an account, which of its flushes was done last, and how it is doing. */
export type AccountRow = Pick<Selectable<Accounts>, (typeof columns)[number]> &
  Pick<Selectable<AccountStates>, 'flushedEpoch' | (typeof accountStatusColumns)[number]>

export interface AccountVersion {
  account: string
  shard: number
  version: string
}

/** Those of some accounts that there are, and have a row of their state. */
export function listAccounts(db: Db, accounts: readonly string[]): Promise<AccountRow[]> {
  return db
    .selectFrom('accounts')
    .innerJoin('accountStates', 'accountStates.account', 'accounts.account')
    .select(columns.map((name) => `accounts.${name}` as const))
    .select('accountStates.flushedEpoch')
    .select(accountStatusColumns.map((name) => `accountStates.${name}` as const))
    .where(sql<boolean>`accounts.account = any(${accounts}::text[])`)
    .execute()
}

/** The versions of the registrations of some accounts, as far as they exist. */
export function listVersions(db: Db, accounts: readonly string[]): Promise<AccountVersion[]> {
  return db
    .selectFrom('accounts')
    .select(['account', 'shard', 'version'])
    .where(sql<boolean>`account = any(${accounts}::text[])`)
    .execute()
}

/** The accounts of some shards, with the versions of their registrations. */
export function listAccountVersions(db: Db, shards: readonly number[]): Promise<AccountVersion[]> {
  if (shards.length === 0) return Promise.resolve([])
  return db
    .selectFrom('accounts')
    .select(['account', 'shard', 'version'])
    .where(sql<boolean>`shard = any(${shards}::smallint[])`)
    .execute()
}
