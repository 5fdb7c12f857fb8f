import { on } from '@posthorn/bus'
import { getCredentials } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { AuthServer } from '../providers/auth-server.ts'
import type { CredentialProvider } from '../providers/provider.ts'
import { findLogin } from '../store/credentials.ts'

export interface Deps {
  db: Db
  storedPassword: CredentialProvider
  authServer: AuthServer
}

/** Answers with what logs in at the account's server now. Asked by whoever is about to log in; safe to repeat. */
export function onGetCredentials({ db, storedPassword, authServer }: Deps) {
  return on(getCredentials, async ({ account, protocol, fresh = false }, { signal }) => {
    const login = await findLogin(db, account, protocol)
    if (!login)
      throw new AppError('not-found', 'Account record was not found for requested ID', {
        code: 'AccountNotFound',
      })
    if (!login.configured)
      throw new AppError('not-found', `The account has no ${protocol.toUpperCase()} server`, {
        code: protocol === 'imap' ? 'IMAPUnavailable' : 'SMTPUnavailable',
      })
    if (fresh) authServer.forget(account)
    return (login.useAuthServer ? authServer : storedPassword).get(login, signal)
  })
}
