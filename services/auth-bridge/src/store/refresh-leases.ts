import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

export interface RefreshLease {
  account: string
  holder: string
}

/**
 * Takes the lease for renewing the tokens of an account. False while another replica holds the
 * lease.
 */
export async function claimRefresh(
  db: Db,
  { account, holder }: RefreshLease,
  { grantUpdatedAt, leaseMs }: { grantUpdatedAt: Date; leaseMs: number },
): Promise<boolean> {
  const until = sql<Date>`now() + make_interval(secs => ${leaseMs / 1_000})`
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('oauth2Tokens')
    .values({ account, grantUpdatedAt, refreshing: holder, refreshingUntil: until })
    .onConflict((conflict) =>
      conflict
        .column('account')
        .doUpdateSet({ refreshing: holder, refreshingUntil: until })
        .where(
          sql<boolean>`oauth2_tokens.refreshing is null or oauth2_tokens.refreshing_until < now()`,
        ),
    )
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Extends the lease for renewing the tokens of an account. False if the lease has expired, after
 * which another replica may have taken it.
 */
export async function extendRefresh(
  db: Db,
  { account, holder }: RefreshLease,
  leaseMs: number,
): Promise<boolean> {
  const refreshingUntil = sql<Date>`now() + make_interval(secs => ${leaseMs / 1_000})`
  const { numUpdatedRows } = await db
    .updateTable('oauth2Tokens')
    .set({ refreshingUntil })
    .where('account', '=', account)
    .where('refreshing', '=', holder)
    .where('refreshingUntil', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function releaseRefresh(db: Db, { account, holder }: RefreshLease): Promise<void> {
  await db
    .updateTable('oauth2Tokens')
    .set({ refreshing: null, refreshingUntil: null })
    .where('account', '=', account)
    .where('refreshing', '=', holder)
    .execute()
}
