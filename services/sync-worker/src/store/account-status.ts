import type { AccountStates, Db, Tx } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'
import { type AccountLease, validLeases } from './lease.ts'

export const accountStatusColumns = [
  'state',
  // State epoch of the account status. Incremented by every change of `state` and by every error
  // event.
  'stateEpoch',
  'lastError',
  // Number of consecutive equal failures of the account to connect or log in to its mail system.
  'errorCount',
  'authFailingSince',
  'authFailureDisabledAt',
  // Version of the account's registration to which the account status belongs.
  'accountVersion',
  'initializedAt',
  'syncTime',
  // Last mailbox that the mail server refused to sync. Null if the last sync pass had no refused
  // mailbox.
  'syncError',
] as const

export type AccountStatusRow = Pick<
  Selectable<AccountStates>,
  (typeof accountStatusColumns)[number]
>

/**
 * State of an account and the data that transitions of the state depend on (table
 * `account_states`).
 */
export type AccountStatus = Readonly<Omit<AccountStatusRow, 'stateEpoch'> & { stateEpoch: number }>

/** Account status taken from a row of `account_states`. Other columns of the row are left out. */
export function toAccountStatus(row: AccountStatusRow): AccountStatus {
  const status = Object.fromEntries(accountStatusColumns.map((name) => [name, row[name]]))
  return { ...(status as AccountStatusRow), stateEpoch: Number(row.stateEpoch) }
}

/** Creates missing rows of `account_states`, which leases lock. Skips deleted accounts. */
export async function ensureAccountStatusRows(db: Db, accounts: readonly string[]): Promise<void> {
  try {
    await sql`
      insert into account_states (account, state)
      select account, 'new' from accounts
      where account = any(${accounts}::text[])
        and not exists (select 1 from account_states s where s.account = accounts.account)
      order by account
      on conflict (account) do nothing
    `.execute(db)
  } catch (error) {
    if (!isDeletedAccountError(error)) throw error
    // The insert into `account_states` failed because an account was deleted after its selection.
    // The repeated statement does not select the deleted account.
    await ensureAccountStatusRows(db, accounts)
  }
}

function isDeletedAccountError(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23503' && constraint === 'account_states_account_fkey'
}

export interface LockedAccountStatus extends AccountStatus {
  /** Current time by the clock of Postgres, which also sets the creation times of mailboxes. */
  now: Date
}

/**
 * Locks the status rows of accounts whose leases are valid, and returns the account statuses.
 * Variant of `withLease` for many accounts. Unless `wait` is set, skips rows and shards that other
 * transactions have locked.
 */
export async function lockAccountStatuses(
  tx: Tx,
  leases: readonly AccountLease[],
  { wait }: { wait: boolean },
): Promise<Map<string, LockedAccountStatus>> {
  const { rows } = await sql<AccountStatusRow & { account: string; now: Date }>`
    select a.account, ${sql.join(accountStatusColumns.map((name) => sql.ref(`a.${name}`)))},
      now() as now, set_config('idle_in_transaction_session_timeout', '10s', true)
    from ${validLeases(leases)} join account_states a on a.account = input.account
    order by a.account
    for share of shards for no key update of a ${wait ? sql`` : sql`skip locked`}
  `.execute(tx)
  return new Map(rows.map((row) => [row.account, { ...toAccountStatus(row), now: row.now }]))
}

/** Status of an account; undefined if the account was deleted. */
export async function findAccountStatus(
  db: Db | Tx,
  account: string,
): Promise<LockedAccountStatus | undefined> {
  const row = await db
    .selectFrom('accountStates')
    .select(accountStatusColumns)
    .select(sql<Date>`now()`.as('now'))
    .where('account', '=', account)
    .executeTakeFirst()
  return row && { ...toAccountStatus(row), now: row.now }
}

/**
 * Stores account statuses. Also adds rows to `account_changes`: `state` if the state epoch (a
 * counter of changes) changed, `syncWarning` if the server refused a different mailbox, or refused
 * it for a different reason. Requires the leases of the accounts.
 */
export async function saveAccountStatuses(
  tx: Tx,
  statuses: readonly (AccountStatus & { account: string })[],
): Promise<void> {
  if (statuses.length === 0) return
  await sql`
    with input as (
      select * from jsonb_to_recordset(${JSON.stringify(statuses)}::jsonb) as i (
        account text, state text, "stateEpoch" bigint, "lastError" jsonb, "errorCount" integer,
        "authFailingSince" timestamptz, "authFailureDisabledAt" timestamptz,
        "accountVersion" bigint, "initializedAt" timestamptz, "syncTime" timestamptz,
        "syncError" jsonb
      )
    ), before as (
      select a.account, a.state_epoch, a.sync_error from account_states a join input using (account)
    ), saved as (
      update account_states a
      set state = i.state, state_epoch = i."stateEpoch", last_error = i."lastError",
        error_count = i."errorCount", auth_failing_since = i."authFailingSince",
        auth_failure_disabled_at = i."authFailureDisabledAt",
        account_version = i."accountVersion", initialized_at = i."initializedAt",
        sync_time = i."syncTime", sync_error = i."syncError", updated_at = now()
      from input i where a.account = i.account
    )
    insert into account_changes (account, type, key, payload)
    select i.account, 'state', i.state,
      case when i."lastError" is not null then jsonb_build_object('error', i."lastError") end
    from input i join before b using (account) where b.state_epoch <> i."stateEpoch"
    union all
    select i.account, 'syncWarning', 'mailboxRefused',
      jsonb_build_object('path', i."syncError" -> 'path', 'message', i."syncError" -> 'error')
    from input i join before b using (account)
    where i."syncError" is not null
      and (i."syncError" - 'time') is distinct from (b.sync_error - 'time')
  `.execute(tx)
}
