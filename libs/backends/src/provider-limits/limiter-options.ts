import type { Clock, QuotaRequest } from '@posthorn/flow'
import type { Provider, ProviderLimitTable } from './provider-limits.ts'
import type { ProviderMetrics } from './provider-metrics.ts'

/**
 * Priorities of waiting requests to a provider, in the order in which they start: requests for API
 * callers, for changes, and for initial syncs.
 */
export const priorities = ['caller', 'sync', 'initial-sync'] as const
export type ProviderPriority = (typeof priorities)[number]

/** OAuth2 application. All accounts of an application share its request limits. */
export interface ProviderApplication {
  provider: Provider
  application: string
}

/** Mailbox at a mail provider, with its own request limits. */
export interface ProviderAccount extends ProviderApplication {
  account: string
}

export interface ProviderCall {
  /**
   * Name of the mail provider's API method as in the table of quota costs, such as `messages.get`.
   */
  operation: string
  /**
   * Number of calls of the mail provider's method in one request, such as the parts of a batch;
   * defaults to 1.
   */
  count?: number
  /**
   * Number of concurrent requests that the mail provider counts for one request, such as the parts
   * of a batch; defaults to 1.
   */
  slots?: number
  /** Bytes of the body of the request to the mail provider; defaults to 0. */
  bytes?: number
  priority: ProviderPriority
  /**
   * Remaining time of the API request in milliseconds. The wait for a permit is 1 s shorter, so
   * that the response still reaches the API client. Default: no limit.
   */
  timeoutMs?: number
  signal?: AbortSignal
}

/**
 * Source from which a process borrows quota units of mailboxes, if other processes own the quota of
 * these mailboxes.
 */
export interface UnitSource {
  /**
   * Waits until the caller may send one request that costs `units` quota units. The request must be
   * sent within `loanValidMs`.
   *
   * @throws RateLimitedError if the wait exceeds `maxWaitMs`; the signal's reason
   */
  take(
    mailbox: ProviderAccount,
    request: Pick<QuotaRequest, 'units' | 'maxWaitMs' | 'signal'>,
  ): Promise<void>
  /**
   * Reports a pause of the requests for a mailbox to the process that owns the mailbox's quota
   * units.
   */
  reportPause(mailbox: ProviderAccount, ms: number): void
}

interface CommonOptions {
  limits: ProviderLimitTable
  /**
   * Returns the number of live processes of this service. These processes share the service's quota
   * units of an application equally.
   */
  replicas: () => number
  metrics?: ProviderMetrics
  clock?: Clock
}

/**
 * Options of the limiter of provider requests in a sync-worker, which owns the quota units of its
 * mailboxes.
 */
export interface WorkerLimiterOptions extends CommonOptions {
  service: 'sync-worker'
  /**
   * Returns true if all live processes lend or borrow quota units. False if some live senders
   * belong to an earlier release: they use a fixed share of the units of each mailbox, which this
   * process then leaves to them.
   */
  lendsAll?: () => boolean
  /**
   * Returns the time of the limiter's clock at which this process became the owner of a mailbox's
   * quota units. Undefined if no other process owned the units before.
   */
  heldSince?: (account: string) => number | undefined
}

/** Options of the limiter in a sender, which borrows quota units of mailboxes. */
export interface SenderLimiterOptions extends CommonOptions {
  service: 'sender'
  source: UnitSource
}

export type ProviderLimiterOptions = WorkerLimiterOptions | SenderLimiterOptions
