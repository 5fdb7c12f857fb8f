import type { Bus } from '@posthorn/bus'
import { getOAuth2Token, operations } from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { getShard } from '../../store/accounts.ts'
import { handle } from '../../http/route.ts'

export interface Deps {
  db: Db
  bus: Bus
  settings: SettingsCache
  timeoutMs: number
  /** Whatever the setting says. */
  oauthTokensApi: boolean
}

/** Gives an access token away, where the operator lets that be. */
export function onGetOAuthToken({ db, bus, settings, timeoutMs, oauthTokensApi }: Deps) {
  return handle(operations.getOAuthToken, async ({ params: { account }, headers, signal }) => {
    const { enableOAuthTokensApi = false } = await settings.get()
    if (!oauthTokensApi && !enableOAuthTokensApi)
      throw new AppError('forbidden', 'Access tokens are not given away here', {
        code: 'ApiEndpointDisabled',
      })
    await getShard(db, account)
    const limit = Math.max(timeoutMs, headers['x-svc-timeout'] ?? 0)
    const { scopes, expires, ...token } = await bus.request(
      getOAuth2Token,
      { account },
      { key: 'credentials', timeoutMs: limit, signal },
    )
    return {
      account,
      ...token,
      registeredScopes: scopes,
      ...(expires === undefined ? {} : { expires: new Date(expires).toISOString() }),
    }
  })
}
