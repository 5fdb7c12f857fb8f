import { on } from '@posthorn/bus'
import { completeOAuth2Login } from '@posthorn/contracts/commands/oauth2-login'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { tokenBindingOf } from '../bound-secrets.ts'
import { assertConsentBased, loadApplication } from '../oauth2/application.ts'
import type { StoredGrant } from '../oauth2/grant.ts'
import { identify } from '../oauth2/identity.ts'
import { shortScope } from '../oauth2/profile.ts'
import { type OAuth2Deps, requestToken } from '../oauth2/token-endpoint.ts'
import { passwordSealContext } from '../store/credentials.ts'

/**
 * Exchanges an OAuth2 authorization code for an OAuth2 grant, which is sealed (encrypted) for its
 * account. A code is usable once: the provider rejects a repeat (RFC 6749 §4.1.2).
 *
 * @throws AppError `rejected` without a refresh token, unless the access token does not expire
 */
export function onCompleteOAuth2Login(deps: OAuth2Deps) {
  return on(completeOAuth2Login, async ({ app: id, account, code, codeVerifier }) => {
    const app = await loadApplication(deps, id)
    assertConsentBased(app)
    const tokens = await requestToken(deps, app, { kind: 'authorization_code', code, codeVerifier })
    const {
      accessToken,
      refreshToken,
      expires,
      lifetimeMs,
      scopes = [...app.profile.scopes],
    } = tokens
    const missingScopes = missing(app.profile.requiredScopes, scopes)
    // Rejects an expiring access token without a refresh token, because the account would fail when
    // the token expires. A new OAuth2 consent may issue a refresh token.
    if (refreshToken === undefined && expires !== undefined && missingScopes.length === 0)
      throw new AppError('rejected', 'The provider issued no refresh token', {
        code: 'TokenGenerationError',
      })
    const { email, unverified, name } = await identify(deps, app, tokens)
    const grant: StoredGrant = {
      accessToken,
      scopes,
      ...defined({ refreshToken, expires, lifetimeMs }),
    }
    const context = passwordSealContext(account, 'oauth2')
    return {
      user: email,
      ...defined({ unverified, name }),
      scopes,
      missingScopes,
      sealedGrant: await deps.sealer.seal(JSON.stringify(grant), context, tokenBindingOf(app)),
    }
  })
}

function missing(required: readonly string[], granted: readonly string[]): string[] {
  const present = new Set(granted.map(shortScope))
  return required.filter((scope) => !present.has(shortScope(scope)))
}
