import type { Db } from '@posthorn/db'
import type { AccountTarget } from '../targets/target.ts'

/** What the accounts say about their webhooks; those that are gone are missing. */
export async function listAccountTargets(
  db: Db,
  accounts: readonly string[],
): Promise<Map<string, AccountTarget>> {
  if (accounts.length === 0) return new Map()
  const rows = await db
    .selectFrom('accounts')
    .select(['account', 'webhooks', 'webhooksCustomHeaders'])
    .where('account', 'in', accounts)
    .execute()
  return new Map(rows.map(({ account, ...target }) => [account, target]))
}
