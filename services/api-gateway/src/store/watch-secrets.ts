import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Lists the hashes of the secrets (base64url) in provider notifications that the watches of
 * accounts have.
 */
export async function listWatchSecrets(
  db: Db,
  accounts: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('apiWatches')
    .select(['account', 'clientStateHash'])
    .where('account', '=', sql<string>`any(${accounts}::text[])`)
    .where('clientStateHash', 'is not', null)
    .execute()
  const secrets = new Map<string, string[]>()
  for (const { account, clientStateHash } of rows)
    secrets.set(account, [
      ...(secrets.get(account) ?? []),
      Buffer.from(clientStateHash ?? '').toString('base64url'),
    ])
  return secrets
}
