import type { Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type AppForAccount, lockAppForAccount } from '../store/oauth2-apps.ts'
import { findOtherAccountOfUser } from '../store/oauth2-users.ts'
import type { StoredOAuth2 } from '@posthorn/db'
import { assertForMail, type OAuth2Input } from './plan-oauth2.ts'

/**
 * The application that a registration means: the one it names, or the one that the account has.
 *
 * @throws AppError `invalid` `UnsupportedOperation` where it is not for mail servers
 */
export async function findAppFor(
  tx: Tx,
  given: OAuth2Input | false | undefined,
  stored: { oauth2: StoredOAuth2 | null } | undefined,
): Promise<AppForAccount | undefined> {
  if (!given) return undefined
  const id = given.provider ?? (given.partial ? stored?.oauth2?.provider : undefined)
  const app = id === undefined ? undefined : await lockAppForAccount(tx, id)
  assertForMail(app)
  return app
}

/** @throws AppError `invalid` `AccountAlreadyExists` where another account logs in as the same user */
export async function assertUserUnique(
  tx: Tx,
  account: string,
  oauth2: string | null | undefined,
): Promise<void> {
  if (!oauth2) return
  const existingAccount = await findOtherAccountOfUser(
    tx,
    account,
    JSON.parse(oauth2) as StoredOAuth2,
  )
  if (existingAccount === undefined) return
  throw new AppError('invalid', 'Another account logs in as this user already', {
    code: 'AccountAlreadyExists',
    extras: { existingAccount },
  })
}
