import { createHttpCaller, type EgressPolicy, type HttpProxy } from '@posthorn/net'
import type { Metrics } from '@posthorn/telemetry'
import type { TokenDeps } from './access-tokens.ts'
import { oauthMaxBytes, oauthTimeoutMs } from './http-fetch.ts'

export interface OAuth2Options extends Pick<TokenDeps, 'db' | 'unsealer' | 'sealer' | 'log'> {
  metrics: Metrics
  config: { oauthEgressPolicy: EgressPolicy }
  proxy: () => Promise<HttpProxy | undefined>
}

/** Creates the dependencies of OAuth2 requests. `stack` disposes them and aborts token renewals. */
export function createOAuth2(
  stack: AsyncDisposableStack,
  { metrics, config, proxy, ...deps }: OAuth2Options,
): TokenDeps {
  const http = stack.use(
    createHttpCaller({
      policy: config.oauthEgressPolicy,
      proxy,
      timeoutMs: oauthTimeoutMs,
      maxResponseBytes: oauthMaxBytes,
    }),
  )
  const stop = new AbortController()
  stack.defer(() => stop.abort())
  const refreshes = metrics.counter({
    name: 'oauth2_token_refresh',
    help: 'Requests to token endpoints by status, provider and HTTP status (0: no response).',
    labels: ['status', 'provider', 'statusCode'],
  })
  const onRequest: TokenDeps['onRequest'] = ({ ok, provider, statusCode }) =>
    refreshes.inc({ status: ok ? 'success' : 'failure', provider, statusCode })
  return { ...deps, http, onRequest, signal: stop.signal }
}
