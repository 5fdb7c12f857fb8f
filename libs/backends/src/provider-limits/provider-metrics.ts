import type { Loan } from '@posthorn/flow'
import type { Metrics } from '@posthorn/telemetry'
import type { Provider } from './provider-limits.ts'

/**
 * Scope of a request limit of a mail provider: one mailbox, or all accounts of an OAuth2
 * application.
 */
export type LimitScope = 'mailbox' | 'application'

/** Labels that the metrics of a request to a mail provider have. */
interface RequestLabels {
  provider: Provider
  /** Id of the OAuth2 application. Empty for access tokens from an authentication server. */
  application: string
  method: string
}

/** Counter of the use of a mail API by an OAuth2 application. */
export interface UseCounter {
  add(application: string, use: { requests?: number; units?: number; limited?: number }): void
}

/**
 * Metrics about requests to mail providers. The label for the method has the names of the table of
 * quota costs.
 */
export interface ProviderMetrics {
  /** Counts a request to the mail provider, with its number of operations and of quota units. */
  sent(request: RequestLabels & { count: number; units: number }): void
  /** Counts a request that a mail provider refused because of a request limit. */
  limited(refusal: RequestLabels & { scope: LimitScope }): void
  /** Counts a period during which requests to a mail provider are delayed (pause). */
  paused(pause: { provider: Provider; scope: LimitScope; ms: number }): void
}

/**
 * Registers the metrics about requests to mail providers. `uses` also counts the requests per
 * OAuth2 application.
 */
export function createProviderMetrics(metrics: Metrics, uses: UseCounter): ProviderMetrics {
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
    sent({ provider, application, method, count, units: cost }) {
      requests.labels(provider, method).inc(count)
      units.labels(provider, method).inc(cost)
      if (application !== '') uses.add(application, { requests: count, units: cost })
    },
    limited({ provider, application, method, scope }) {
      refusals.labels(provider, method, scope).inc()
      if (application !== '') uses.add(application, { limited: 1 })
    },
    paused: ({ provider, scope, ms }) => pauses.labels(provider, scope).inc(ms / 1_000),
  }
}

/**
 * Result of a sender's request to borrow quota units (units in which a mail provider limits
 * requests) of a mailbox.
 */
export type LoanResult = 'granted' | 'refused' | 'paused' | 'unanswered'

/** Metrics about the quota units that sync-workers lend to senders. */
export interface LoanMetrics {
  /** Counts a request of a sender to borrow `units` quota units of a mailbox from a sync-worker. */
  requested(loan: { provider: Provider; result: LoanResult; units: number }): void
}

/**
 * Registers the metrics about lending quota units. Sync-workers count lent units, senders count
 * borrowed units.
 */
export function createLoanMetrics(metrics: Metrics): LoanMetrics {
  const requests = metrics.counter({
    name: 'provider_loans_total',
    help: 'Requests of senders for units of mailboxes by result: granted, refused, paused, unanswered',
    labels: ['provider', 'result'],
  })
  const granted = metrics.counter({
    name: 'provider_loan_units_total',
    help: 'Units of mailboxes that sync-workers lent to senders',
    labels: ['provider'],
  })
  return {
    requested({ provider, result, units }) {
      requests.labels(provider, result).inc()
      if (result === 'granted') granted.labels(provider).inc(units)
    },
  }
}

/**
 * Result of a request to borrow quota units, by the decision of the lender. Used as a label of a
 * metric.
 */
export function loanResultOf({ isGranted, pauseMs }: Loan): LoanResult {
  if (isGranted) return 'granted'
  return pauseMs > 0 ? 'paused' : 'refused'
}
