import type { Credentials, Tx } from '@posthorn/db'

/** Kind of an account's stored credential: for a mail server, or the OAuth2 grant. */
export type PasswordKind = Credentials['kind']

/**
 * Context with which an account's credential is sealed (encrypted). The credential can be unsealed
 * for its row only.
 */
export function passwordSealContext(account: string, kind: PasswordKind): string {
  return `credentials/${account}/${kind}`
}

/**
 * Stores a sealed (encrypted) credential of an account. The update repeats the sealed value,
 * because the Postgres role cannot read `excluded`.
 */
export async function upsertPassword(
  tx: Tx,
  { account, kind, sealed }: Pick<Credentials, 'account' | 'kind' | 'sealed'>,
): Promise<void> {
  await tx
    .insertInto('credentials')
    .values({ account, kind, sealed })
    .onConflict((conflict) =>
      conflict.columns(['account', 'kind']).doUpdateSet({ sealed, updatedAt: new Date() }),
    )
    .execute()
}

export async function deletePassword(tx: Tx, account: string, kind: PasswordKind): Promise<void> {
  await tx
    .deleteFrom('credentials')
    .where('account', '=', account)
    .where('kind', '=', kind)
    .execute()
}
