import type { Credentials } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { AuthServer } from '../providers/auth-server.ts'
import type { StoredLogin } from '../store/credentials.ts'
import type { AccessTokens } from './access-tokens.ts'
import { whoseGrant } from './whose-grant.ts'

export interface OAuth2Credentials {
  /** What an account with `oauth2` logs in with. `fresh`: what was answered before was refused. */
  get(login: StoredLogin, options: { fresh: boolean; signal: AbortSignal }): Promise<Credentials>
}

/** An access token, and whom to log in as: of the account's own grant, of the one it delegates to, or from the authentication server. */
export function oauth2Credentials({
  db,
  tokens,
  authServer,
}: {
  db: Db
  tokens: AccessTokens
  authServer: AuthServer
}): OAuth2Credentials {
  return {
    async get(login, { fresh, signal }) {
      const use = await whoseGrant(db, login.account, login.protocol)
      if (!use) throw new AppError('not-found', 'The account has no OAuth2')
      if (!use.useAuthServer) {
        const { accessToken } = await tokens.get(use, { fresh })
        return { user: use.user, accessToken }
      }
      if (fresh) authServer.forget(use.holder)
      const told = await authServer.get({ ...login, account: use.holder }, signal)
      // A mailbox that is shared is logged in to under its own name.
      return use.user === use.owner ? told : { ...told, user: use.user }
    },
  }
}
