import type { Accounts, Db } from '@posthorn/db'
import type { Selectable } from 'kysely'

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

/** What a session needs to know of an account. */
export type AccountRow = Pick<Selectable<Accounts>, (typeof columns)[number]>

export interface AccountVersion {
  account: string
  shard: number
  version: string
}

export function findAccount(db: Db, account: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').select(columns).where('account', '=', account).executeTakeFirst()
}

export function findAccountVersion(db: Db, account: string): Promise<AccountVersion | undefined> {
  return db
    .selectFrom('accounts')
    .select(['account', 'shard', 'version'])
    .where('account', '=', account)
    .executeTakeFirst()
}

/** The accounts of some shards, with the versions of their registrations. */
export function listAccountVersions(db: Db, shards: readonly number[]): Promise<AccountVersion[]> {
  if (shards.length === 0) return Promise.resolve([])
  return db
    .selectFrom('accounts')
    .select(['account', 'shard', 'version'])
    .where('shard', 'in', shards)
    .execute()
}
