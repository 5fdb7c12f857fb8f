import type { Db } from '@posthorn/db'
import { createHttpCaller, type EgressPolicy, type HttpProxy } from '@posthorn/net'
import type { Unsealer, Sealer } from '@posthorn/secrets'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { AccessTokens, TokenDeps } from './access-tokens.ts'
import { onCompleteOAuth2Login } from './complete-login.ts'
import { oauthMaxBytes, oauthTimeoutMs } from './http-fetch.ts'
import { onGetOAuth2Token } from './get-token.ts'
import { onRevokeAccountGrant, onRevokeOAuth2Grant } from './revoke-grant.ts'
import { onStartOAuth2Login } from './start-login.ts'
import { onVerifyOAuth2App } from './verify-app.ts'

export interface OAuth2Parts {
  db: Db
  opener: Unsealer
  sealer: Sealer
  log: Logger
  metrics: Metrics
  config: { oauthEgressPolicy: EgressPolicy }
  proxy: () => Promise<HttpProxy | undefined>
}

/** What the handling of OAuth2 works with, closed with `opened`. */
export function openOAuth2(
  opened: AsyncDisposableStack,
  { db, opener, sealer, log, metrics, config, proxy }: OAuth2Parts,
): TokenDeps {
  const http = opened.use(
    createHttpCaller({
      policy: config.oauthEgressPolicy,
      proxy,
      timeoutMs: oauthTimeoutMs,
      maxResponseBytes: oauthMaxBytes,
    }),
  )
  const stop = new AbortController()
  opened.defer(() => stop.abort())
  const refreshes = metrics.counter({
    name: 'oauth2_token_refresh',
    help: 'Questions to token endpoints by outcome, provider and HTTP status; status 0: no answer',
    labels: ['status', 'provider', 'statusCode'],
  })
  const asked: TokenDeps['asked'] = ({ ok, provider, statusCode }) =>
    refreshes.inc({ status: ok ? 'success' : 'failure', provider, statusCode })
  return { db, opener, sealer, log, http, asked, signal: stop.signal }
}

/** What the gateway asks about it. */
export function oauth2Questions(deps: TokenDeps & { tokens: AccessTokens }) {
  return [
    onStartOAuth2Login(deps),
    onCompleteOAuth2Login(deps),
    onRevokeOAuth2Grant(deps),
    onRevokeAccountGrant(deps),
    onVerifyOAuth2App(deps),
    onGetOAuth2Token(deps),
  ]
}
