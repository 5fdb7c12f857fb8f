import { on } from '@posthorn/bus'
import { completeOAuth2Login } from '@posthorn/contracts'
import { placeOfPassword } from '../store/credentials.ts'
import { openApplication } from './application.ts'
import type { OAuth2Deps } from './deps.ts'
import type { StoredGrant } from './grant.ts'
import { identify } from './identity.ts'
import { reportApp } from './report-app.ts'
import { assertByConsent } from './start-login.ts'
import { requestToken, type TokenAnswer } from './token-endpoint.ts'

/**
 * Turns the code of a callback into a grant, sealed for the account it is meant for. A code is good once: whoever asks again with the
 * same is refused by the provider (RFC 6749 §4.1.2).
 */
export function onCompleteOAuth2Login(deps: OAuth2Deps) {
  return on(completeOAuth2Login, async ({ app: id, account, code, codeVerifier }) => {
    const app = await openApplication(deps, id)
    assertByConsent(app)
    const grant = { kind: 'authorization_code', code, codeVerifier } as const
    const answer = await reportApp(deps, id, () => requestToken(deps, app, grant))
    const { email, unverified, name } = await identify(deps, app, answer)
    const { scopes = [...app.profile.scopes] } = answer
    const sealedGrant = await deps.sealer.seal(
      JSON.stringify(grantOf(answer, scopes)),
      placeOfPassword(account, 'oauth2'),
    )
    return {
      user: email,
      ...(unverified ? { unverified } : {}),
      ...(name === undefined ? {} : { name }),
      scopes,
      missingScopes: missing(app.profile.needed, scopes),
      sealedGrant,
    }
  })
}

function grantOf({ accessToken, refreshToken, expires }: TokenAnswer, scopes: string[]) {
  const grant: StoredGrant = {
    accessToken,
    scopes,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expires === undefined ? {} : { expires }),
  }
  return grant
}

/** Microsoft leaves the resource off, or has it in other letters. */
function missing(needed: readonly string[], given: readonly string[]): string[] {
  const short = (scope: string) => scope.toLowerCase().replace(/^https:\/\/[^/]+\/(?=.)/, '')
  const granted = new Set(given.map(short))
  return needed.filter((scope) => !granted.has(short(scope)))
}
