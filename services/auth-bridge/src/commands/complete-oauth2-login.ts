import { on } from '@posthorn/bus'
import { completeOAuth2Login, defined } from '@posthorn/contracts'
import { assertConsentBased, loadApplication } from '../oauth2/application.ts'
import type { StoredGrant } from '../oauth2/grant.ts'
import { identify } from '../oauth2/identity.ts'
import { type OAuth2Deps, requestToken } from '../oauth2/token-endpoint.ts'
import { passwordSealContext } from '../store/credentials.ts'

/**
 * Exchanges an authorization code for a grant, sealed for its account. A code is usable once: the
 * provider rejects a repeat (RFC 6749 §4.1.2).
 */
export function onCompleteOAuth2Login(deps: OAuth2Deps) {
  return on(completeOAuth2Login, async ({ app: id, account, code, codeVerifier }) => {
    const app = await loadApplication(deps, id)
    assertConsentBased(app)
    const tokens = await requestToken(deps, app, { kind: 'authorization_code', code, codeVerifier })
    const { email, unverified, name } = await identify(deps, app, tokens)
    const { accessToken, refreshToken, expires, scopes = [...app.profile.scopes] } = tokens
    const grant: StoredGrant = { accessToken, scopes, ...defined({ refreshToken, expires }) }
    const context = passwordSealContext(account, 'oauth2')
    return {
      user: email,
      ...defined({ unverified, name }),
      scopes,
      missingScopes: missing(app.profile.requiredScopes, scopes),
      sealedGrant: await deps.sealer.seal(JSON.stringify(grant), context),
    }
  })
}

/** Ignores resource prefix and case: Microsoft omits or changes them. */
function missing(required: readonly string[], granted: readonly string[]): string[] {
  const short = (scope: string) => scope.toLowerCase().replace(/^https:\/\/[^/]+\/(?=.)/, '')
  const present = new Set(granted.map(short))
  return required.filter((scope) => !present.has(short(scope)))
}
