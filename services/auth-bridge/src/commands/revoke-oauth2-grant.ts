import { on } from '@posthorn/bus'
import { revokeAccountGrant } from '@posthorn/contracts/commands/oauth2'
import { revokeOAuth2Grant } from '@posthorn/contracts/commands/oauth2-login'
import { loadApplication } from '../oauth2/application.ts'
import { revokeToken } from '../oauth2/endpoints.ts'
import { parseGrant } from '../oauth2/grant.ts'
import type { OAuth2Deps } from '../oauth2/token-endpoint.ts'
import { passwordSealContext } from '../store/credentials.ts'
import { findGrantTokens, findOAuth2Account } from '../store/oauth2-grants.ts'
import { tokensSealContext } from '../store/oauth2-tokens.ts'

/**
 * Revokes an OAuth2 grant that no account uses. Returns false after a failure, because the owner
 * can revoke the grant, too.
 */
export function onRevokeOAuth2Grant(deps: OAuth2Deps) {
  return on(revokeOAuth2Grant, ({ app, account, sealedGrant: sealed }) =>
    falseOnError(() =>
      revoke(deps, { app, sealed, context: passwordSealContext(account, 'oauth2') }),
    ),
  )
}

/** Revokes the OAuth2 grant of a registered account. */
export function onRevokeAccountGrant(deps: OAuth2Deps) {
  return on(revokeAccountGrant, ({ account }) =>
    falseOnError(async () => {
      const { oauth2 } = (await findOAuth2Account(deps.db, account)) ?? {}
      const { tokens, grant } = await findGrantTokens(deps.db, account)
      const sealed = tokens ?? grant
      if (!oauth2 || oauth2.useAuthServer || sealed === undefined) return false
      const context = tokens ? tokensSealContext(account) : passwordSealContext(account, 'oauth2')
      return revoke(deps, { app: oauth2.provider, sealed, context })
    }),
  )
}

async function revoke(
  deps: OAuth2Deps,
  { app: id, sealed, context }: { app: string; sealed: string; context: string },
): Promise<boolean> {
  const app = await loadApplication(deps, id)
  const { value } = await deps.secrets.openTokens({ sealed, context }, app)
  const { refreshToken, accessToken } = parseGrant(value)
  const token = refreshToken ?? accessToken
  return token !== undefined && revokeToken(deps, app, token)
}

async function falseOnError(work: () => Promise<boolean>): Promise<{ revoked: boolean }> {
  return { revoked: await work().catch(() => false) }
}
