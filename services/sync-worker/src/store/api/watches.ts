import type { ApiWatches, Db, Tx } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'
import { type AccountLease, validLeases } from '../lease.ts'

/**
 * Watch of an account: registration at the provider for notifications. An empty `remoteId` means
 * that the provider has no registration.
 */
export type ApiWatchRow = Omit<Selectable<ApiWatches>, 'account'>

const columns = [
  'remoteId',
  'clientStateHash',
  'expiresAt',
  'renewAt',
  'state',
  'lastNotifiedAt',
  'attemptedAt',
  'createFailures',
  'renewFailures',
  'lastError',
] as const

/** Finds the latest watch (registration for notifications) of each of some accounts. */
export async function listApiWatches(
  db: Db,
  accounts: readonly string[],
): Promise<Map<string, ApiWatchRow>> {
  const rows = await db
    .selectFrom('apiWatches')
    .select(['account', ...columns])
    .where('account', '=', sql<string>`any(${accounts}::text[])`)
    .orderBy('renewAt')
    .execute()
  return new Map(rows.map(({ account, ...row }) => [account, row]))
}

/**
 * Replaces the stored watch (registration for notifications) of an account. Requires the account's
 * lease.
 */
export async function replaceApiWatch(
  tx: Tx,
  account: string,
  { lastError, ...row }: ApiWatchRow,
): Promise<void> {
  const stored = { ...row, lastError: lastError && JSON.stringify(lastError) }
  await tx
    .deleteFrom('apiWatches')
    .where('account', '=', account)
    .where('remoteId', '!=', row.remoteId)
    .execute()
  await tx
    .insertInto('apiWatches')
    .values({ account, ...stored })
    .onConflict((conflict) => conflict.columns(['account', 'remoteId']).doUpdateSet(stored))
    .execute()
}

/** True if the last registration for notifications failed. Requires the account's lease. */
export async function hasFailedWatch(tx: Tx, account: string): Promise<boolean> {
  const row = await tx
    .selectFrom('apiWatches')
    .select('account')
    .where('account', '=', account)
    .where('state', '=', 'failed')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Stores the times of the last notifications of providers, for accounts whose leases are valid. */
export async function saveNotificationTimes(
  db: Db,
  notifications: readonly (AccountLease & { at: Date })[],
): Promise<void> {
  if (notifications.length === 0) return
  const times = sql`${notifications.map(({ at }) => at.toISOString())}::text[]`
  await sql`
    with input as materialized (
      select input.account, input.value::timestamptz as at from ${validLeases(notifications, times)}
      for share of shards
    )
    update api_watches w set last_notified_at = input.at from input where w.account = input.account
  `.execute(db)
}
