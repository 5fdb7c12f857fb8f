import { getOAuth2Token } from '@posthorn/contracts/commands/oauth2'
import { defined } from '@posthorn/contracts/defined'
import { operations } from '@posthorn/contracts/operations'
import { AppError } from '@posthorn/errors'
import { requestTimeout } from '../../http/call-worker.ts'
import { handle } from '../../http/handle.ts'
import { getShard } from '../../store/accounts/accounts.ts'
import type { OperationDeps } from '../operation-deps.ts'

type OAuthTokenDeps = Pick<
  OperationDeps,
  'db' | 'bus' | 'settings' | 'timeoutMs' | 'oauthTokensApi'
>

/** Returns the provider access token of an account, if the operator has enabled such requests. */
export function onGetOAuthToken(deps: OAuthTokenDeps) {
  const { db, bus, settings, oauthTokensApi } = deps
  return handle(operations.getOAuthToken, async ({ params: { account }, headers, signal }) => {
    const { enableOAuthTokensApi = false } = await settings.get()
    if (!oauthTokensApi && !enableOAuthTokensApi)
      throw new AppError('forbidden', 'Reading access tokens is disabled', {
        code: 'ApiEndpointDisabled',
      })
    await getShard(db, account)
    const options = { key: 'credentials', timeoutMs: requestTimeout(deps, headers), signal }
    const reply = await bus.request(getOAuth2Token, { account }, options)
    const { scopes: registeredScopes, expires, ...token } = reply
    const expiry = expires === undefined ? undefined : new Date(expires).toISOString()
    return { account, ...token, registeredScopes, ...defined({ expires: expiry }) }
  })
}
