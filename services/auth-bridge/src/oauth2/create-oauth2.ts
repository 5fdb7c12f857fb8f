import type { EgressPolicy } from '@posthorn/net/egress'
import { createHttpCaller } from '@posthorn/net/http-caller'
import type { OriginMap } from '@posthorn/net/origin-map'
import { createProviderHttp } from '@posthorn/net/provider-http'
import type { HttpProxy } from '@posthorn/net/proxy-agents'
import type { Metrics } from '@posthorn/telemetry'
import type { TokenDeps } from './access-tokens.ts'
import { Federation } from './federation.ts'
import { oauthMaxBytes, oauthTimeoutMs } from './http-fetch.ts'
import type { OpenProvider } from './mailbox-profile.ts'

export interface OAuth2Options extends Pick<
  TokenDeps,
  'db' | 'unsealer' | 'secrets' | 'sealer' | 'log'
> {
  metrics: Metrics
  config: {
    oauthEgressPolicy: EgressPolicy
    providerOrigins: OriginMap
    identityTokenFile?: string | undefined
  }
  proxy: () => Promise<HttpProxy | undefined>
}

/**
 * Creates the dependencies of OAuth2 requests. Disposal of `stack` releases them and aborts token
 * renewals.
 */
export function createOAuth2(
  stack: AsyncDisposableStack,
  { metrics, config, proxy, ...deps }: OAuth2Options,
): TokenDeps & { openProvider: OpenProvider } {
  const http = stack.use(
    createHttpCaller({
      policy: config.oauthEgressPolicy,
      origins: config.providerOrigins,
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
  const { identityTokenFile } = config
  const federation = new Federation({ http, identityTokenFile })
  const openProvider: OpenProvider = (origin) =>
    createProviderHttp({ caller: http, origins: [origin], mappedOrigins: config.providerOrigins })
  return { ...deps, http, federation, openProvider, onRequest, signal: stop.signal }
}
