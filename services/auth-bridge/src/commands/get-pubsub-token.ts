import { on } from '@posthorn/bus'
import { oauth2ProviderTraits } from '@posthorn/contracts/account-types'
import { getPubSubToken } from '@posthorn/contracts/commands/oauth2'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { type Application, loadApplication } from '../oauth2/application.ts'
import { type OAuth2Deps, requestToken, type TokenResponse } from '../oauth2/token-endpoint.ts'

/**
 * Returns an access token of a service account for Pub/Sub. Only OAuth2 applications for Pub/Sub
 * have such tokens.
 */
export function onGetPubSubToken(deps: OAuth2Deps) {
  return on(getPubSubToken, async ({ app }) => {
    const { accessToken, expires } = await requestPubSubToken(
      deps,
      await loadApplication(deps, app),
    )
    return { accessToken, ...defined({ expires }) }
  })
}

/**
 * Requests an access token for Pub/Sub.
 *
 * @throws AppError `internal` `InvalidBaseScopes` if the OAuth2 application is not for Pub/Sub
 */
export async function requestPubSubToken(
  deps: OAuth2Deps,
  app: Application,
): Promise<TokenResponse> {
  const { baseScopes, serviceClientEmail: subject } = app.config
  const isPubSubProvider = oauth2ProviderTraits[app.provider].hasPubSub
  if (baseScopes !== 'pubsub' || !isPubSubProvider || subject === undefined)
    throw new AppError('internal', 'The OAuth2 application is not for Pub/Sub', {
      code: 'InvalidBaseScopes',
    })
  return requestToken(deps, app, { kind: 'jwt-bearer', subject })
}
