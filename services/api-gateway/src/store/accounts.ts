import type { AccountState, OAuth2Provider } from '@posthorn/contracts'
import { type Accounts, compileOnce, type Db, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'
import type { PasswordKind } from './credentials.ts'
import { lastSendingAttempt } from './smtp-status.ts'

export function accountNotFound(): AppError {
  return new AppError('not-found', 'Account record was not found for requested ID')
}

const listColumns = [
  'accounts.account',
  'name',
  'email',
  'imap',
  'smtp',
  'oauth2',
  'webhooks',
  'proxy',
  'smtpEhloName',
  'accountStates.state',
  'accountStates.lastError',
  'accountStates.syncTime',
] as const

const recordColumns = [
  ...listColumns,
  'expectedEmail',
  'path',
  'subconnections',
  'webhooksCustomHeaders',
  'copy',
  'logs',
  'notifyFrom',
  'imapIndexer',
  'locale',
  'tz',
  'accountStates.authFailureDisabledAt',
  'accountStates.connections',
  'accountStates.syncError',
] as const

function withState(db: Db) {
  return db
    .selectFrom('accounts')
    .leftJoin('accountStates', 'accountStates.account', 'accounts.account')
}

const passwordKinds = sql<PasswordKind[]>`array(
  select kind from credentials where credentials.account = accounts.account
)`

/** Null where the application is not there. */
const oauth2Provider = sql<OAuth2Provider | null>`(
  select provider from oauth2_apps where oauth2_apps.id = accounts.oauth2 ->> 'provider'
)`
const baseScopes = sql<'imap' | 'api' | 'pubsub' | null>`(
  select coalesce(config ->> 'baseScopes', 'imap') from oauth2_apps where oauth2_apps.id = accounts.oauth2 ->> 'provider'
)`
const hasDelegate = sql<boolean>`exists (
  select from accounts delegate where delegate.account = accounts.oauth2 -> 'auth' ->> 'delegatedAccount'
)`
const grantedAt = sql<Date | null>`(
  select updated_at from credentials where credentials.account = accounts.account and kind = 'oauth2'
)`

const eventCounts = sql<Record<string, number>>`(
  select coalesce(jsonb_object_agg(event, count), '{}') from account_event_counts counts where counts.account = accounts.account
)`

const accountRow = compileOnce((db, account: string) =>
  withState(db)
    .leftJoin('oauth2Tokens', 'oauth2Tokens.account', 'accounts.account')
    .select(recordColumns)
    .select(['oauth2Tokens.scopes', 'oauth2Tokens.expiresAt as tokenExpiresAt'])
    .select(['oauth2Tokens.updatedAt as tokenUpdatedAt', grantedAt.as('grantedAt')])
    .select([passwordKinds.as('passwords'), eventCounts.as('eventCounts')])
    .select([oauth2Provider.as('oauth2Provider'), baseScopes.as('baseScopes')])
    .select([hasDelegate.as('hasDelegate'), lastSendingAttempt.as('lastSendingAttempt')])
    .where('accounts.account', '=', account),
)

/** An account with its state, and the kinds of passwords that are stored for it. */
export async function findAccount(db: Db, account: string) {
  const [row] = await accountRow(db, account)
  return row
}
export type AccountRow = NonNullable<Awaited<ReturnType<typeof findAccount>>>

export interface AccountFilter {
  state: AccountState | undefined
  /** Part of the id, the name or the address. */
  query: string | undefined
  page: number
  pageSize: number
}

/** One page of the accounts, by id, and how many there are. */
export async function listAccounts(db: Db, { state, query, page, pageSize }: AccountFilter) {
  let matching = withState(db)
  // An account that no worker has looked at yet has no state of its own.
  if (state) matching = matching.where(sql`coalesce(account_states.state, 'new')`, '=', state)
  if (query) {
    const contains = (column: 'accounts.account' | 'name' | 'email') =>
      sql<boolean>`position(lower(${query}) in lower(${sql.ref(column)})) > 0`
    matching = matching.where((where) =>
      where.or([contains('accounts.account'), contains('name'), contains('email')]),
    )
  }
  const { total } = await matching
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  const rows = await matching
    .select(listColumns)
    .select([eventCounts.as('eventCounts'), hasDelegate.as('hasDelegate')])
    .select(oauth2Provider.as('oauth2Provider'))
    .orderBy('accounts.account')
    .limit(pageSize)
    .offset(page * pageSize)
    .execute()
  return { total, rows }
}
export type AccountListRow = Awaited<ReturnType<typeof listAccounts>>['rows'][number]

/** The shard whose holder answers for the account. */
export async function getShard(db: Db, account: string): Promise<number> {
  const row = await db
    .selectFrom('accounts')
    .select('shard')
    .where('account', '=', account)
    .executeTakeFirst()
  if (!row) throw accountNotFound()
  return row.shard
}

/** Whose account it is. */
export async function getOwner(db: Db, account: string) {
  const row = await db
    .selectFrom('accounts')
    .select(['name', 'email', 'locale', 'tz'])
    .where('account', '=', account)
    .executeTakeFirst()
  if (!row) throw accountNotFound()
  return row
}

const sendingRow = compileOnce((db, account: string) =>
  withState(db)
    .select([
      'name',
      'email',
      'shard',
      'imap',
      'smtp',
      'locale',
      'tz',
      'accountStates.state',
      'accountStates.initializedAt',
    ])
    .where('accounts.account', '=', account),
)

/** What sending needs to know of an account. */
export async function getSendingAccount(db: Db, account: string) {
  const [row] = await sendingRow(db, account)
  if (!row) throw accountNotFound()
  return row
}

export type SendingAccount = Awaited<ReturnType<typeof getSendingAccount>>

/** Columns that a registration sets. */
export type AccountColumns = Partial<Insertable<Accounts>>

/** Inserts an account; undefined when there is one of that id, or will be once a transaction at hand commits. */
export function insertAccount(tx: Tx, account: Insertable<Accounts>) {
  return tx
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) => conflict.column('account').doNothing())
    .returning('createdAt')
    .executeTakeFirst()
}

const lockedColumns = [
  'email',
  'imap',
  'smtp',
  'oauth2',
  'path',
  'subconnections',
  'webhooks',
  'webhooksCustomHeaders',
  'notifyFrom',
  'proxy',
  'smtpEhloName',
  'logs',
  'createdAt',
] as const

/** The account as stored, locked until the transaction ends. */
export async function lockAccount(tx: Tx, account: string) {
  const row = await tx
    .selectFrom('accounts')
    .select(lockedColumns)
    .select(passwordKinds.as('passwords'))
    .where('account', '=', account)
    .forUpdate()
    .executeTakeFirst()
  return row
}
export type LockedAccount = NonNullable<Awaited<ReturnType<typeof lockAccount>>>

/** Changes an account; sessions that run on what it was before know by the version. False where there is none. */
export async function updateAccount(
  db: Db | Tx,
  account: string,
  changes: AccountColumns,
): Promise<boolean> {
  const { numUpdatedRows } = await raised(db, account).set(changes).executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

function raised(db: Db | Tx, account: string) {
  return db
    .updateTable('accounts')
    .set({ version: sql<string>`version + 1`, updatedAt: sql<Date>`now()` })
    .where('account', '=', account)
}

/** Changes what sessions do not work with. */
export async function patchAccount(tx: Tx, account: string, changes: AccountColumns) {
  if (Object.keys(changes).length === 0) return
  const now = sql<Date>`now()`
  await tx
    .updateTable('accounts')
    .set({ ...changes, updatedAt: now })
    .where('account', '=', account)
    .execute()
}

/** Has all that is known of the account's messages forgotten by whoever holds it. False where there is no such account. */
export async function flushAccount(
  db: Db,
  account: string,
  changes: Pick<AccountColumns, 'notifyFrom' | 'imapIndexer'>,
): Promise<boolean> {
  const { numUpdatedRows } = await raised(db, account)
    .set({ ...changes, flushEpoch: sql<string>`flush_epoch + 1` })
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes an account and, by the foreign keys, all that hangs on it. */
export async function deleteAccount(tx: Tx, account: string): Promise<void> {
  await tx.deleteFrom('accounts').where('account', '=', account).execute()
}
