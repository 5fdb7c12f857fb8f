import type { Metrics } from '@posthorn/telemetry'
import type { Provider } from './provider-limits.ts'

/**
 * Scope of a request limit of a mail provider: one mailbox, or all accounts of an OAuth2
 * application.
 */
export type LimitScope = 'mailbox' | 'application'

/** Metrics about requests to mail providers. Methods are names of the table of quota costs. */
export interface ProviderMetrics {
  /**
   * Counts a request with `count` operations and `units` quota units that is sent to the provider.
   */
  sent(request: { provider: Provider; method: string; count: number; units: number }): void
  /** Counts a request that a provider refused because of a limit. */
  limited(refusal: { provider: Provider; method: string; scope: LimitScope }): void
  /** Counts a pause, which delays requests to the provider. */
  paused(pause: { provider: Provider; scope: LimitScope; ms: number }): void
}

export function createProviderMetrics(metrics: Metrics): ProviderMetrics {
  const requests = metrics.counter({
    name: 'provider_requests_total',
    help: 'Operations requested from mail providers, parts of batches included',
    labels: ['provider', 'method'],
  })
  const units = metrics.counter({
    name: 'provider_quota_units_total',
    help: 'Quota units of the operations requested from mail providers',
    labels: ['provider', 'method'],
  })
  const refusals = metrics.counter({
    name: 'provider_rate_limited_total',
    help: 'Requests that a mail provider refused because of a limit, by its scope',
    labels: ['provider', 'method', 'scope'],
  })
  const pauses = metrics.counter({
    name: 'provider_paused_seconds_total',
    help: 'Pauses that rate limits of mail providers caused, by scope of the limit',
    labels: ['provider', 'scope'],
  })
  return {
    sent({ provider, method, count, units: cost }) {
      requests.labels(provider, method).inc(count)
      units.labels(provider, method).inc(cost)
    },
    limited: ({ provider, method, scope }) => refusals.labels(provider, method, scope).inc(),
    paused: ({ provider, scope, ms }) => pauses.labels(provider, scope).inc(ms / 1_000),
  }
}
