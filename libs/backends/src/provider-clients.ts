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
  /** Egress policy: networks in which the addresses of mail providers must not be. */
  readonly policy: EgressPolicy
  /** Origins of fake servers that replace the origins of mail providers in tests. */
  readonly mappedOrigins: OriginMap
  /** Finds the proxy for requests to mail providers. Called before each request. */
  readonly proxy: () => Promise<HttpProxy | undefined>
  /**
   * Finds the Pub/Sub topics that receive notifications of Gmail. If absent, watches (registrations
   * for notifications) are refused.
   */
  readonly findTopic?: GmailApiDeps['findTopic']
  readonly findUrls?: GraphApiDeps['findUrls']
}

/** Timeout of a request to a mail provider that sets no timeout. */
const timeoutMs = 60_000
/** Maximum bytes of a mail provider's response, for a request that sets no limit. */
const maxResponseBytes = 16 * 1024 * 1024
/**
 * Maximum connections to one mail provider. Each mailbox of the provider has a few concurrent
 * requests.
 */
const maxSockets = 512

/**
 * Creates the clients of all mail APIs of this process. Disposing of the stack closes their
 * connections.
 */
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
