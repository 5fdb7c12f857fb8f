import { AppError } from '@posthorn/errors'
import type { Opener } from '@posthorn/secrets'
import { placeOfPassword } from '../store/credentials.ts'
import type { CredentialProvider } from './provider.ts'

/** The password that was registered. */
export function storedPassword(opener: Opener): CredentialProvider {
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
      return { user, pass: await opener.open(sealed, placeOfPassword(account, protocol)) }
    },
  }
}
