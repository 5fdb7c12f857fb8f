import type { ConsentFailure } from '@posthorn/contracts/schemas/account-oauth2'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Stores an existing account's failed OAuth2 consent. Replaces an earlier failure. */
export async function storeConsentError(
  db: Db,
  account: string,
  failure: ConsentFailure,
): Promise<void> {
  const error = JSON.stringify(failure)
  await sql`
    insert into oauth2_consent_errors (account, error)
    select account, ${error}::jsonb from accounts where account = ${account}
    on conflict (account) do update set error = excluded.error, failed_at = now()`.execute(db)
}

/** Deletes the failed OAuth2 consent of an account, in the transaction that stores a grant. */
export async function clearConsentError(tx: Tx, account: string): Promise<void> {
  await tx.deleteFrom('oauth2ConsentErrors').where('account', '=', account).execute()
}
