import { defined } from '@posthorn/contracts/defined'
import type { EgressPolicy } from '@posthorn/net/egress'
import { createHttpCaller } from '@posthorn/net/http-caller'
import type { OriginMap } from '@posthorn/net/origin-map'
import type { HttpProxy } from '@posthorn/net/proxy-agents'
import { createGmailApi, type GmailApiDeps } from './gmail/index.ts'
import { createGraphApi, type GraphApiDeps } from './graph/index.ts'
import type { CreateMailApi } from './mail-api/access.ts'
import type { ProviderLimiter } from './provider-limits/provider-limiter.ts'
import type { Provider } from './provider-limits/provider-limits.ts'

export interface ProviderClientsOptions {
  readonly limiter: ProviderLimiter
  /** Networks that the origins of providers must not be in. */
  readonly policy: EgressPolicy
  /** Origins at which fakes serve the providers. */
  readonly mappedOrigins: OriginMap
  /** Proxy of all requests. Called before each. */
  readonly proxy: () => Promise<HttpProxy | undefined>
  /** Destinations of notifications. Absent: watches are refused. */
  readonly findTopic?: GmailApiDeps['findTopic']
  readonly findUrls?: GraphApiDeps['findUrls']
}

/** Time of a request without its own timeout. */
const timeoutMs = 60_000
/** Response of a request without its own limit. */
const maxResponseBytes = 16 * 1024 * 1024
/** Connections to one provider: each of its mailboxes has a few concurrent requests. */
const maxSockets = 512

/** Creates the clients of all mail APIs of this process. The stack closes their connections. */
export function createProviderClients(
  stack: AsyncDisposableStack,
  { limiter, policy, mappedOrigins, proxy, findTopic, findUrls }: ProviderClientsOptions,
): Record<Provider, CreateMailApi> {
  const caller = stack.use(
    createHttpCaller({
      policy,
      origins: mappedOrigins,
      proxy,
      timeoutMs,
      maxResponseBytes,
      maxSockets,
    }),
  )
  const shared = { caller, limiter, mappedOrigins }
  return {
    gmail: createGmailApi(defined({ ...shared, findTopic })),
    graph: createGraphApi(defined({ ...shared, findUrls })),
  }
}
