import { on } from '@posthorn/bus'
import { oauth2ProviderTraits } from '@posthorn/contracts/account-types'
import { startOAuth2Login } from '@posthorn/contracts/commands/oauth2-login'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { assertConsentBased, loadApplication } from '../oauth2/application.ts'
import { findEndpoints } from '../oauth2/endpoints.ts'
import type { OAuth2Deps } from '../oauth2/token-endpoint.ts'

/**
 * Returns an OAuth2 consent URL. Stores nothing: the requester stores the state and the PKCE
 * verifier.
 */
export function onStartOAuth2Login(deps: OAuth2Deps) {
  return on(startOAuth2Login, async (request) => {
    const app = await loadApplication(deps, request.app)
    assertConsentBased(app)
    const { authorizeUrl, requiresIss, issuer } = await findEndpoints(deps, app).catch(
      (cause: unknown) => {
        throw new AppError('unreachable', 'Reading the endpoints of the provider failed', {
          code: 'ETokenRefresh',
          cause,
        })
      },
    )
    // Allows only HTTP and HTTPS: an OAuth2 issuer may publish any authorization URL, and browsers
    // are redirected to this URL.
    if (authorizeUrl === undefined || !/^https?:\/\//i.test(authorizeUrl))
      throw new AppError('invalid', 'The provider has no authorization endpoint')
    const url = new URL(authorizeUrl)
    const parameters = {
      client_id: app.clientId,
      response_type: 'code',
      redirect_uri: app.config.redirectUrl ?? '',
      scope: app.profile.scopes.join(' '),
      state: request.state,
      code_challenge: request.codeChallenge,
      code_challenge_method: 'S256',
      ...app.profile.authorizeParams,
      ...defined({
        login_hint: request.loginHint,
        prompt: request.consent ? 'consent' : undefined,
      }),
    }
    for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value)
    // Requests a consent with `prompt=consent`, because `offline_access` is ignored without this
    // parameter (OpenID Connect Core 1.0 §11).
    if (
      !oauth2ProviderTraits[app.provider].servers &&
      parameters.scope.split(' ').includes('offline_access')
    )
      url.searchParams.set('prompt', 'consent')
    const expected = issuer ?? app.profile.issuers[0]
    return {
      url: url.href,
      // Returns no issuer for Microsoft applications that admit several tenants: only the id token
      // will contain the issuer.
      ...defined({ issuer: expected?.includes('{tenantid}') ? undefined : expected, requiresIss }),
    }
  })
}
