import { on } from '@posthorn/bus'
import { getCredentials } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { OAuth2Credentials } from '../oauth2/oauth2-credentials.ts'
import type { AuthServer } from '../providers/auth-server.ts'
import type { CredentialProvider } from '../providers/provider.ts'
import { findLogin } from '../store/credentials.ts'
import { assertServes } from './assert-serves.ts'

export interface Deps {
  db: Db
  storedPassword: CredentialProvider
  authServer: AuthServer
  oauth2: OAuth2Credentials
}

/** Answers with what logs in at the account's server now. Asked by whoever is about to log in; safe to repeat. */
export function onGetCredentials({ db, storedPassword, authServer, oauth2 }: Deps) {
  return on(getCredentials, async (request, { signal, requester: asker }) => {
    const { account, protocol, fresh = false, entitlement } = request
    // Side by side: a mail client waits for this.
    const [login] = await Promise.all([
      findLogin(db, account, protocol),
      assertServes(db, asker, { account, protocol, entitlement }),
    ])
    if (!login)
      throw new AppError('not-found', 'Account record was not found for requested ID', {
        code: 'AccountNotFound',
      })
    if (!login.configured)
      throw new AppError('not-found', `The account has no ${protocol.toUpperCase()} server`, {
        code: protocol === 'imap' ? 'IMAPUnavailable' : 'SMTPUnavailable',
      })
    if (fresh) authServer.forget(account)
    if (login.useAuthServer) return authServer.get(login, signal)
    const hasOwn = login.user !== undefined || !login.byOAuth2
    return hasOwn ? storedPassword.get(login, signal) : oauth2.get(login, { fresh, signal })
  })
}
