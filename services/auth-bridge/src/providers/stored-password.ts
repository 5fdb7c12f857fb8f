import { AppError } from '@posthorn/errors'
import type { Unsealer } from '@posthorn/secrets'
import { placeOfPassword } from '../store/credentials.ts'
import type { CredentialProvider } from './provider.ts'

/** The password that was registered. */
export function storedPassword(opener: Unsealer): CredentialProvider {
  return {
    async get({ account, protocol, user, sealed }) {
      if (user === undefined || sealed === undefined)
        throw new AppError(
          'rejected',
          `No ${protocol.toUpperCase()} password is stored for this account`,
          {
            code: 'AuthenticationFails',
          },
        )
      return { user, pass: await opener.unseal(sealed, placeOfPassword(account, protocol)) }
    },
  }
}
