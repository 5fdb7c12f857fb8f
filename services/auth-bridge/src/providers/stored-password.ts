import type { Credentials } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { Unsealer } from '@posthorn/secrets'
import { passwordSealContext, type StoredLogin } from '../store/credentials.ts'

/**
 * Unseals the stored password of an account.
 *
 * @throws AppError `rejected` if none is stored
 */
export async function getStoredPassword(
  unsealer: Unsealer,
  { account, protocol, user, sealed }: StoredLogin,
): Promise<Credentials> {
  if (user === undefined || sealed === undefined)
    throw new AppError(
      'rejected',
      `No ${protocol.toUpperCase()} password is stored for this account`,
      { code: 'AuthenticationFails' },
    )
  return { user, pass: await unsealer.unseal(sealed, passwordSealContext(account, protocol)) }
}
