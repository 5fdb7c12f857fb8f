import type { ImapConfig } from '@posthorn/contracts/schemas/mail-server'
import {
  type Accounts,
  type AccountStates,
  batchStatements,
  type Db,
  hasMailbox,
  type StoredServer,
} from '@posthorn/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { accountStatusColumns, ensureAccountStatusRows } from './account-status.ts'
import type { AccountLease } from './lease.ts'

/** Registered account that may connect, in the form used by account sessions and drivers. */
export interface Account {
  readonly account: string
  readonly version: string
  readonly lease: AccountLease
  /**
   * Time of registration, which is a part of event ids. A later registration or an index flush
   * changes the time, so that events get new ids.
   */
  readonly registeredAt: number
  /** IMAP server of the account. Null for accounts of a mail API. */
  readonly imap: StoredServer<ImapConfig> | null
  /** True if a tenant chose the IMAP server, which may be any host of the operator's network. */
  readonly isTenantsServer: boolean
  /** Paths or special uses of the mailboxes to sync. An empty list means all mailboxes. */
  readonly paths: readonly string[]
  /** Paths or special uses of the mailboxes that are watched over separate connections. */
  readonly subconnections: readonly string[]
  /** Kind of the mailbox index. Null stands for the default kind in the settings. */
  readonly imapIndexer: 'full' | 'fast' | null
  readonly notifyFrom: Date
  /** URL of the proxy over which this service connects to the account's mail server. */
  readonly proxy: string | null
  /** True if the protocol log of the account is stored. */
  readonly logs: boolean
}

/** Account that has an IMAP server. */
export type ImapAccount = Account & { readonly imap: StoredServer<ImapConfig> }

export function isImapAccount(account: Account): account is ImapAccount {
  return account.imap !== null
}

/** Account from its stored registration. Undefined if the account is paused or has no mailbox. */
export function toAccount(row: AccountRow, lease: AccountLease): Account | undefined {
  const { imap } = row
  if (!hasMailbox(row) || row.paused) return undefined
  const { account, version, imapIndexer, notifyFrom, proxy, logs, tenantSet } = row
  return {
    account,
    version,
    lease,
    registeredAt: row.createdAt.getTime() + Number(row.flushEpoch),
    imap: imap && !imap.disabled ? imap : null,
    isTenantsServer: tenantSet.includes('imap'),
    paths: (row.path ?? []).filter((path) => path !== '*'),
    subconnections: row.subconnections ?? [],
    imapIndexer,
    notifyFrom,
    proxy,
    logs,
  }
}

const columns = [
  'account',
  'shard',
  'version',
  'backend',
  'imap',
  'path',
  'subconnections',
  'imapIndexer',
  'notifyFrom',
  'proxy',
  'logs',
  'paused',
  'flushEpoch',
  'createdAt',
  'tenantSet',
] as const

/** Row of an account: registration, number of the last executed index flush, and status. */
export type AccountRow = Pick<Selectable<Accounts>, (typeof columns)[number]> &
  Pick<Selectable<AccountStates>, 'flushedEpoch' | (typeof accountStatusColumns)[number]>

export type AccountVersion = Pick<AccountRow, 'account' | 'shard' | 'version' | 'backend'>

/**
 * Creates a reader of account registrations. One statement reads the registrations of all sessions
 * that start at the same time. The result is undefined for a deleted account.
 */
export function createAccountReader(db: Db) {
  return {
    /**
     * Reads the rows of accounts. Also creates missing rows in `account_states`, which leases lock.
     */
    load: batchStatements(async (accounts: string[]) => {
      await ensureAccountStatusRows(db, accounts)
      return inOrder(accounts, await listAccounts(db, accounts))
    }),
    findVersion: batchStatements(async (accounts: string[]) =>
      inOrder(accounts, await selectVersions(db, sql<boolean>`account = any(${accounts}::text[])`)),
    ),
  }
}

export type AccountReader = ReturnType<typeof createAccountReader>

function inOrder<Row extends { account: string }>(
  accounts: readonly string[],
  rows: readonly Row[],
): (Row | undefined)[] {
  const byAccount = new Map(rows.map((row) => [row.account, row]))
  return accounts.map((account) => byAccount.get(account))
}

/** Reads the rows of existing accounts that have a row in `account_states`. */
function listAccounts(db: Db, accounts: readonly string[]): Promise<AccountRow[]> {
  return db
    .selectFrom('accounts')
    .innerJoin('accountStates', 'accountStates.account', 'accounts.account')
    .select(columns.map((name) => `accounts.${name}` as const))
    .select('accountStates.flushedEpoch')
    .select(accountStatusColumns.map((name) => `accountStates.${name}` as const))
    .where(sql<boolean>`accounts.account = any(${accounts}::text[])`)
    .execute()
}

/**
 * Lists the registration versions of all accounts of some shards, in the order of shards. Sessions
 * log in in this order, because shards with high numbers move first to a worker that joins.
 */
export async function listAccountVersions(
  db: Db,
  shards: readonly number[],
): Promise<AccountVersion[]> {
  if (shards.length === 0) return []
  const versions = await selectVersions(db, sql<boolean>`shard = any(${shards}::smallint[])`)
  return versions.toSorted((a, b) => a.shard - b.shard)
}

function selectVersions(db: Db, condition: RawBuilder<boolean>): Promise<AccountVersion[]> {
  return db
    .selectFrom('accounts')
    .select(['account', 'shard', 'version', 'backend'])
    .where(condition)
    .execute()
}

/** True if the list of mailboxes of an account has ever been stored. Every list contains INBOX. */
export async function hasMailboxes(db: Db, account: string): Promise<boolean> {
  const row = await db
    .selectFrom('mailboxes')
    .select('id')
    .where('account', '=', account)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
