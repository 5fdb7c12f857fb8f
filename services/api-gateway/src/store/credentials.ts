import type { Tx } from '@posthorn/db'

/** Of servers; `oauth2` is a grant. */
export type PasswordKind = 'imap' | 'smtp' | 'oauth2'

/** Where a password belongs: sealed for this place, it opens nowhere else. */
export function passwordSealContext(account: string, kind: PasswordKind): string {
  return `credentials/${account}/${kind}`
}

export interface SealedPassword {
  account: string
  kind: PasswordKind
  sealed: string
}

/** Stores a password, sealed. This service's role may write the column and not read it, so `excluded` is out of its reach. */
export async function upsertPassword(tx: Tx, password: SealedPassword): Promise<void> {
  await tx
    .insertInto('credentials')
    .values(password)
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'kind'])
        .doUpdateSet({ sealed: password.sealed, updatedAt: new Date() }),
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
