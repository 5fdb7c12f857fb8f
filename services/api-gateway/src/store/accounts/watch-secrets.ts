import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Lists the hashes (base64url) of the secrets in the notifications of an account's watches
 * (registrations for notifications), by account.
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
