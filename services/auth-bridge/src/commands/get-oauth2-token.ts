import { on } from '@posthorn/bus'
import { getOAuth2Token } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { AccessTokens, TokenDeps } from '../oauth2/access-tokens.ts'
import { loadApplication } from '../oauth2/application.ts'
import { resolveGrant } from '../oauth2/grant.ts'

/** Returns a valid access token of an account. api-gateway authorizes the caller. */
export function onGetOAuth2Token(deps: TokenDeps & { tokens: AccessTokens }) {
  return on(getOAuth2Token, async ({ account }) => {
    const grant = await resolveGrant(deps.db, account, 'imap')
    if (!grant || grant.useAuthServer)
      throw new AppError('invalid', 'No OAuth2 tokens are stored for this account', {
        code: 'UnsupportedOperation',
      })
    const token = await deps.tokens.get(grant)
    const { id, provider } = await loadApplication(deps, grant.app)
    return { ...token, user: grant.user, provider, app: id }
  })
}
