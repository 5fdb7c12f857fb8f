import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

export interface Lease {
  account: string
  holder: string
}

/** Takes the right to ask the provider for an account, across replicas. False while another has it. */
export async function claimRefresh(
  db: Db,
  { account, holder }: Lease,
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

export async function releaseRefresh(db: Db, { account, holder }: Lease): Promise<void> {
  await db
    .updateTable('oauth2Tokens')
    .set({ refreshing: null, refreshingUntil: null })
    .where('account', '=', account)
    .where('refreshing', '=', holder)
    .execute()
}
