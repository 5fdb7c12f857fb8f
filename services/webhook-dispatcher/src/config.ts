import { ConfigError, duration, type Env, integer, oneOf, optional } from '@posthorn/config'
import { type EgressPolicy, egressPolicies } from '@posthorn/net/egress'
import { parseProxy } from '@posthorn/net/proxy'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'

export interface Config extends ServiceConfig {
  readonly webhooks: WebhookConfig
}

export interface WebhookConfig {
  /**
   * Timeout of a whole attempt of a webhook delivery: DNS lookup, connection, request and response.
   */
  readonly timeoutMs: number
  readonly egressPolicy: EgressPolicy
  /** HTTP proxy of all calls to webhook targets. The URL of the proxy may contain a password. */
  readonly proxy: { readonly url: string; readonly egress: EgressPolicy } | undefined
  /**
   * Egress policy for the address of an HTTP proxy, from the configuration or from the settings.
   */
  readonly proxyEgressPolicy: EgressPolicy
  /** Maximum concurrent calls of this process to webhook targets. */
  readonly concurrency: number
  /** Maximum concurrent calls of this process to one webhook target. */
  readonly targetConcurrency: number
  /**
   * Maximum of the first retry delay of a webhook delivery. Each further delay is twice as long.
   */
  readonly retryBaseMs: number
  /**
   * Duration of a claim of webhook deliveries. If a process dies, another process claims its
   * deliveries after this time.
   */
  readonly leaseMs: number
  /** Retention of events without open webhook deliveries, in days. */
  readonly keepEventDays: number
  readonly keepDeliveredMs: number
  readonly keepFailedMs: number
}

const days = 24 * 60 * 60_000

export function readConfig(env: Env): Config {
  const timeout = { fallback: 30_000, min: 100, max: 600_000 }
  const timeoutMs = duration(env, 'SVC_WEBHOOK_TIMEOUT', timeout)
  return {
    ...readServiceConfig(env, {
      service: 'webhook-dispatcher',
      port: 3004,
      shutdownTimeoutMs: timeoutMs + 5_000,
    }),
    webhooks: {
      timeoutMs,
      egressPolicy: oneOf(env, 'SVC_WEBHOOK_EGRESS_POLICY', {
        values: egressPolicies,
        fallback: 'link-local',
      }),
      proxy: readProxy(env),
      proxyEgressPolicy: proxyEgressPolicy(env),
      concurrency: integer(env, 'SVC_WEBHOOK_CONCURRENCY', { fallback: 500, min: 1, max: 10_000 }),
      targetConcurrency: integer(env, 'SVC_WEBHOOK_TARGET_CONCURRENCY', {
        fallback: 4,
        min: 1,
        max: 1_000,
      }),
      retryBaseMs: duration(env, 'SVC_WEBHOOK_RETRY_BASE', {
        fallback: 5_000,
        min: 1,
        max: 3_600_000,
      }),
      leaseMs: duration(env, 'SVC_WEBHOOK_LEASE', { fallback: 60_000, min: 500, max: 3_600_000 }),
      keepEventDays: integer(env, 'SVC_EVENTS_KEEP_DAYS', { fallback: 7, min: 1, max: 3_650 }),
      keepDeliveredMs: duration(env, 'SVC_WEBHOOK_KEEP_DELIVERED', { fallback: days, min: 60_000 }),
      keepFailedMs: duration(env, 'SVC_WEBHOOK_KEEP_FAILED', { fallback: 7 * days, min: 60_000 }),
    },
  }
}

function readProxy(env: Env): WebhookConfig['proxy'] {
  const name = 'SVC_WEBHOOK_PROXY'
  const url = optional(env, name)
  if (url === undefined) return undefined
  try {
    parseProxy(url)
  } catch {
    throw new ConfigError(name, 'must be an address starting with http://, https:// or socks5://')
  }
  return { url, egress: proxyEgressPolicy(env) }
}

function proxyEgressPolicy(env: Env): EgressPolicy {
  return oneOf(env, 'SVC_PROXY_EGRESS_POLICY', { values: egressPolicies, fallback: 'link-local' })
}
