import { on } from '@posthorn/bus'
import { getOAuth2Token } from '@posthorn/contracts/commands/oauth2'
import { AppError } from '@posthorn/errors'
import type { AccessTokens, TokenDeps } from '../oauth2/access-tokens.ts'
import { loadApplication } from '../oauth2/application.ts'
import { resolveGrant } from '../oauth2/grant.ts'
import { isOAuthTokensApiEnabled } from '../store/settings.ts'

export type OAuth2TokenDeps = TokenDeps & { tokens: AccessTokens; oauthTokensApi: boolean }

/**
 * Returns a valid provider access token of an account. api-gateway authorizes the caller.
 * auth-bridge checks, too, that the operator has enabled this command, so that api-gateway alone
 * cannot read tokens. Tokens of service accounts are never returned: Microsoft issues such tokens
 * for all mailboxes of the tenant, and Google for any user that the registration names.
 */
export function onGetOAuth2Token(deps: OAuth2TokenDeps) {
  return on(getOAuth2Token, async ({ account }) => {
    if (!deps.oauthTokensApi && !(await isOAuthTokensApiEnabled(deps.db)))
      throw new AppError('forbidden', 'Reading access tokens is disabled', {
        code: 'ApiEndpointDisabled',
      })
    const grant = await resolveGrant(deps.db, account)
    if (!grant || grant.useAuthServer)
      throw new AppError('invalid', 'No OAuth2 tokens are stored for this account', {
        code: 'UnsupportedOperation',
      })
    const { id, provider } = await loadApplication(deps, grant.app)
    if (provider.endsWith('Service'))
      throw new AppError('invalid', 'Access tokens of service accounts cannot be read', {
        code: 'UnsupportedOperation',
      })
    const token = await deps.tokens.get(grant)
    return { ...token, user: grant.user, provider, app: id }
  })
}
