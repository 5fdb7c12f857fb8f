import type { AccountStates, Db, Tx } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'
import type { AccountStatus } from '../sessions/status-transition.ts'
import { encodePathHashes } from './stored-paths.ts'
import type { AccountLease } from './lease.ts'

/** What a `Standing` is read from. */
export const accountStatusColumns = [
  'state',
  'stateEpoch',
  'lastError',
  'errorCount',
  'authFailingSince',
  'authFailureDisabledAt',
  'accountVersion',
  'initializedAt',
  'syncTime',
  'syncError',
] as const

export type AccountStatusRow = Pick<
  Selectable<AccountStates>,
  (typeof accountStatusColumns)[number]
>

/** Makes the rows every write about an account goes by. Nothing happens where an account is gone or has one. */
export async function ensureAccountStatusRows(db: Db, accounts: readonly string[]): Promise<void> {
  try {
    await insertAccountStatusRows(db, accounts)
  } catch (error) {
    if (!isDeletedAccountError(error)) throw error
    // It was there when it was looked for, and deleted before its row was written: the next look does not find it.
    await ensureAccountStatusRows(db, accounts)
  }
}

async function insertAccountStatusRows(db: Db, accounts: readonly string[]): Promise<void> {
  await sql`
    insert into account_states (account, state)
    select account, 'new' from accounts
    where account = any(${accounts}::text[]) and not exists (select 1 from account_states s where s.account = accounts.account)
    order by account
    on conflict (account) do nothing
  `.execute(db)
}

function isDeletedAccountError(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23503' && constraint === 'account_states_account_fkey'
}

export interface LockedAccountStatus extends AccountStatus {
  /** By the clock that dates mailboxes too. */
  now: Date
}

/**
 * What `withLease` does, for many accounts: locks those whose shards are held under the epochs named, and says how they are doing. Whose
 * row or shard is locked by somebody else is left out, unless it is to be waited for.
 */
export async function lockAccountStatuses(
  tx: Tx,
  leases: readonly AccountLease[],
  { wait }: { wait: boolean },
): Promise<Map<string, LockedAccountStatus>> {
  const column = <T>(pick: (lease: AccountLease) => T) => sql.val(leases.map(pick))
  const { rows } = await sql<AccountStatusRow & { account: string; now: Date }>`
    select a.account, ${sql.join(accountStatusColumns.map((name) => sql.ref(`a.${name}`)))}, now() as now,
      set_config('idle_in_transaction_session_timeout', '10s', true)
    from unnest(
      ${column(({ account }) => account)}::text[], ${column(({ shard }) => shard)}::smallint[],
      ${column(({ owner }) => owner)}::uuid[], ${column(({ epoch }) => epoch)}::bigint[]
    ) as given (account, shard, owner, epoch)
    join shards s on s.shard = given.shard and s.owner = given.owner and s.epoch = given.epoch
    join account_states a on a.account = given.account
    order by a.account
    for share of s for no key update of a ${wait ? sql`` : sql`skip locked`}
  `.execute(tx)
  return new Map(rows.map((row) => [row.account, { ...toAccountStatus(row), now: row.now }]))
}

/** How an account is doing, as read from its row. */
export function toAccountStatus(row: AccountStatusRow): AccountStatus {
  const { state, stateEpoch, lastError, errorCount, accountVersion, initializedAt } = row
  const { authFailingSince, authFailureDisabledAt, syncTime, syncError } = row
  return {
    state,
    stateEpoch: Number(stateEpoch),
    lastError,
    errorCount,
    authFailingSince,
    authFailureDisabledAt,
    accountVersion,
    initializedAt,
    syncTime,
    syncError,
  }
}

/** How an account is doing, and what time it is by the clock that dates mailboxes too; undefined for one that is gone. */
export async function findAccountStatus(
  db: Db | Tx,
  account: string,
): Promise<(AccountStatus & { now: Date }) | undefined> {
  const row = await db
    .selectFrom('accountStates')
    .select(accountStatusColumns)
    .select(sql<Date>`now()`.as('now'))
    .where('account', '=', account)
    .executeTakeFirst()
  return row && { ...toAccountStatus(row), now: row.now }
}

/**
 * Stores how accounts are doing and, where the state is another one or fails in another way, the change itself. Runs under their leases.
 */
export async function saveAccountStatuses(
  tx: Tx,
  standings: readonly (AccountStatus & { account: string })[],
): Promise<void> {
  if (standings.length === 0) return
  await sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(standings)}::jsonb) as g (
        account text, state text, "stateEpoch" bigint, "lastError" jsonb, "errorCount" integer,
        "authFailingSince" timestamptz, "authFailureDisabledAt" timestamptz, "accountVersion" bigint,
        "initializedAt" timestamptz, "syncTime" timestamptz, "syncError" jsonb
      )
    ), before as (
      select a.account, a.state_epoch from account_states a join given using (account)
    ), saved as (
      update account_states a
      set state = g.state, state_epoch = g."stateEpoch", last_error = g."lastError", error_count = g."errorCount",
        auth_failing_since = g."authFailingSince", auth_failure_disabled_at = g."authFailureDisabledAt",
        account_version = g."accountVersion", initialized_at = g."initializedAt", sync_time = g."syncTime",
        sync_error = g."syncError", updated_at = now()
      from given g where a.account = g.account
    )
    insert into account_changes (account, type, key, payload)
    select g.account, 'state', g.state, case when g."lastError" is not null then jsonb_build_object('error', g."lastError") end
    from given g join before b using (account) where b.state_epoch <> g."stateEpoch"
  `.execute(tx)
}

export interface SyncTime extends AccountLease {
  at: Date
}

/** Stores when accounts were synced: of those whose shards are still held under the epochs named, unless a later time is stored. */
export async function saveSyncTimes(db: Db, times: readonly SyncTime[]): Promise<void> {
  const column = <T>(pick: (time: SyncTime) => T) => sql.val(times.map(pick))
  await sql`
    update account_states set sync_time = given.at
    from unnest(
      ${column(({ account }) => account)}::text[], ${column(({ at }) => at.toISOString())}::timestamptz[],
      ${column(({ shard }) => shard)}::smallint[], ${column(({ owner }) => owner)}::uuid[], ${column(({ epoch }) => epoch)}::bigint[]
    ) as given (account, at, shard, owner, epoch)
    join shards on shards.shard = given.shard and shards.owner = given.owner and shards.epoch = given.epoch
    where account_states.account = given.account and (account_states.sync_time is null or account_states.sync_time < given.at)
  `.execute(db)
}

/**
 * Hands out numbers for mailboxes, none of them twice in the life of an account; with `paths`, remembers those that there are rows for
 * once the transaction is through. Runs under its lease.
 */
export async function allocateMailboxNumbers(
  tx: Tx,
  account: string,
  { count, paths }: { count: number; paths?: Iterable<string> },
): Promise<number[]> {
  const { next } = await tx
    .updateTable('accountStates')
    .set((row) => ({
      nextMailboxNumber: row('nextMailboxNumber', '+', count),
      ...(paths ? { knownMailboxes: encodePathHashes(paths) } : {}),
    }))
    .where('account', '=', account)
    .returning('nextMailboxNumber as next')
    .executeTakeFirstOrThrow()
  return Array.from({ length: count }, (_, index) => next - count + index)
}
