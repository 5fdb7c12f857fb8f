import { on } from '@posthorn/bus'
import { startOAuth2Login } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { type Application, openApplication } from './application.ts'
import type { OAuth2Deps } from './deps.ts'
import { findEndpoints } from './endpoints.ts'

/** Answers with the address of the page where a person consents. Nothing is kept: state and verifier are whoever asks'. */
export function onStartOAuth2Login(deps: OAuth2Deps) {
  return on(startOAuth2Login, async (asked) => {
    const app = await openApplication(deps, asked.app)
    assertByConsent(app)
    const { authorizeUrl } = await findEndpoints(deps, app).catch((cause: unknown) => {
      throw new AppError('unreachable', 'The provider could not be asked for its pages', {
        code: 'ETokenRefresh',
        cause,
      })
    })
    // An issuer may tell any address; people are sent there, and it stands on a page of ours.
    if (authorizeUrl === undefined || !/^https?:\/\//i.test(authorizeUrl))
      throw new AppError('invalid', 'The provider has no page to log in at')
    const url = new URL(authorizeUrl)
    const parameters = {
      client_id: app.clientId,
      response_type: 'code',
      redirect_uri: app.config.redirectUrl ?? '',
      scope: app.profile.scopes.join(' '),
      state: asked.state,
      code_challenge: asked.codeChallenge,
      code_challenge_method: 'S256',
      ...app.profile.authorizeParams,
      ...(asked.loginHint === undefined ? {} : { login_hint: asked.loginHint }),
      ...(asked.consent ? { prompt: 'consent' } : {}),
    }
    for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value)
    // OpenID Connect Core 1.0 §11: `offline_access` is not looked at without it.
    if (!asked.consent && parameters.scope.split(' ').includes('offline_access'))
      addConsent(url, app)
    return { url: url.href }
  })
}

function addConsent(url: URL, { provider }: Application): void {
  if (provider === 'generic') url.searchParams.set('prompt', 'consent')
}

/** Accounts of service applications are nobody's who could log in. */
export function assertByConsent({ provider }: Application): void {
  if (provider === 'gmailService' || provider === 'outlookService')
    throw new AppError('invalid', 'Accounts of this application are registered without consent', {
      code: 'UnsupportedOperation',
    })
}
