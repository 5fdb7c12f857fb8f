import { type AccountState, pausedAccount } from '@posthorn/contracts/schemas/account-state'
import { type Accounts, compileOnce, type Db, sqlState, type Tables, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql, type UpdateObject } from 'kysely'
import { foreignKeyViolation } from '../transaction.ts'
import type { PasswordKind } from './credentials.ts'

export function accountNotFound(): AppError {
  return new AppError('not-found', 'Account record was not found for requested ID')
}

/** Maps a foreign key violation to `notFound`, because the account was deleted concurrently. */
export async function orAccountNotFound<T>(
  write: Promise<T>,
  notFound: () => AppError = accountNotFound,
): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw sqlState(error) === foreignKeyViolation ? notFound() : error
  }
}

/**
 * Query of accounts with their states. A new account has no state until a worker has connected it.
 */
export function accountsWithState(db: Db) {
  return db
    .selectFrom('accounts')
    .leftJoin('accountStates', 'accountStates.account', 'accounts.account')
}

/**
 * SQL expression: kinds of the credentials that are stored for an account, as a subquery of a
 * statement about accounts.
 */
export const passwordKinds = sql<PasswordKind[]>`array(
  select kind from credentials where credentials.account = accounts.account
)`

const accountColumns = compileOnce((db, account: string) =>
  db
    .selectFrom('accounts')
    .select(['shard', 'name', 'email', 'locale', 'tz', 'expectedEmail', 'logs', 'paused'])
    .where('account', '=', account),
)

const connectionOf = compileOnce((db, account: string) =>
  accountsWithState(db)
    .select(['accountStates.state', 'accountStates.initializedAt'])
    .where('accounts.account', '=', account),
)

/** States of an account before its first connection is complete. */
const firstStates: ReadonlySet<AccountState> = new Set(['new', 'init', 'connecting', 'syncing'])

async function getColumns(db: Db, account: string) {
  const [row] = await accountColumns(db, account)
  if (!row) throw accountNotFound()
  return row
}

/**
 * Returns the shard (group of accounts) of an account. This query is the cheapest check that the
 * account exists.
 */
export async function getShard(db: Db, account: string): Promise<number> {
  return (await getColumns(db, account)).shard
}

/**
 * Checks that an account is not paused, so that the account connects to its mail server.
 *
 * @throws AppError `not-found`; `unavailable` `NoAvailable` if the account is paused
 */
export async function assertNotPaused(db: Db, account: string): Promise<void> {
  const { paused } = await getColumns(db, account)
  if (paused)
    throw new AppError('unavailable', pausedAccount, {
      code: 'NoAvailable',
      extras: { state: 'other' },
    })
}

/** True once a worker has connected an account or has failed to connect the account. */
export async function wasConnected(db: Db, account: string): Promise<boolean> {
  const [row] = await connectionOf(db, account)
  if (!row) throw accountNotFound()
  const { state, initializedAt } = row
  return initializedAt !== null || (state !== null && !firstStates.has(state))
}

/** Name, address and language of the account's owner. */
export async function getOwner(db: Db, account: string) {
  const { name, email, locale, tz } = await getColumns(db, account)
  return { name, email, locale, tz }
}

/** True if the protocol log of the account is enabled. */
export async function hasLogs(db: Db, account: string): Promise<boolean> {
  return (await getColumns(db, account)).logs
}

/**
 * Address that the account is restricted to. Undefined if the account does not exist or has no
 * restriction.
 */
export async function findExpectedEmail(db: Db, account: string): Promise<string | undefined> {
  const [row] = await accountColumns(db, account)
  return row?.expectedEmail ?? undefined
}

const sendingRow = compileOnce((db, account: string) =>
  accountsWithState(db)
    .select(['name', 'email', 'shard', 'backend', 'imap', 'smtp', 'locale', 'tz'])
    .select(['accountStates.state', 'accountStates.initializedAt', 'accountStates.lastError'])
    .where('accounts.account', '=', account),
)

/** Returns the columns of an account that are needed to send its messages. */
export async function getSendingAccount(db: Db, account: string) {
  const [row] = await sendingRow(db, account)
  if (!row) throw accountNotFound()
  return row
}

export type SendingAccount = Awaited<ReturnType<typeof getSendingAccount>>

/** Account columns that a registration sets. */
export type AccountColumns = Partial<Insertable<Accounts>>

/**
 * Inserts an account. Undefined if an account with the id exists, or if a concurrent transaction
 * commits one first.
 */
export function insertAccount(tx: Tx, account: Insertable<Accounts>) {
  return tx
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) => conflict.column('account').doNothing())
    .returning('createdAt')
    .executeTakeFirst()
}

/** Locks the row of an account until the transaction ends. */
export function lockAccount(tx: Tx, account: string) {
  return tx
    .selectFrom('accounts')
    .select(['email', 'backend', 'imap', 'smtp', 'oauth2', 'path', 'subconnections', 'webhooks'])
    .select(['webhooksCustomHeaders', 'notifyFrom', 'proxy', 'smtpEhloName', 'logs', 'paused'])
    .select(['createdAt', 'tenantSet', 'expectedEmail'])
    .select(passwordKinds.as('passwords'))
    .where('account', '=', account)
    .forUpdate()
    .executeTakeFirst()
}
export type LockedAccount = NonNullable<Awaited<ReturnType<typeof lockAccount>>>

type ColumnUpdates = UpdateObject<Tables, 'accounts'>

/**
 * Changes an account and increments its version, which restarts the account's sessions.
 *
 * @throws AppError `not-found`
 */
export async function updateAccount(db: Db, account: string, changes: ColumnUpdates) {
  await db
    .updateTable('accounts')
    .set({ ...changes, version: sql<string>`version + 1`, updatedAt: sql<Date>`now()` })
    .where('account', '=', account)
    .returning('account')
    .executeTakeFirstOrThrow(accountNotFound)
}

/** Changes account columns that sessions do not use, so that the sessions continue. */
export async function patchAccount(tx: Tx, account: string, changes: AccountColumns) {
  if (Object.keys(changes).length === 0) return
  await tx
    .updateTable('accounts')
    .set({ ...changes, updatedAt: sql<Date>`now()` })
    .where('account', '=', account)
    .execute()
}

/** Requests that the worker flushes the account's mailbox indexes. @throws AppError `not-found` */
export function flushAccount(db: Db, account: string, changes: AccountColumns): Promise<void> {
  return updateAccount(db, account, { ...changes, flushEpoch: sql<string>`flush_epoch + 1` })
}

/** Deletes an account and, by foreign keys, all rows that refer to it. */
export async function deleteAccount(tx: Tx, account: string): Promise<void> {
  await tx.deleteFrom('accounts').where('account', '=', account).execute()
}
