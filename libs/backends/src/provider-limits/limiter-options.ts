import type { Clock, QuotaRequest } from '@posthorn/flow'
import type { Provider, ProviderLimitTable } from './provider-limits.ts'
import type { ProviderMetrics } from './provider-metrics.ts'

/**
 * Order in which waiting requests to a provider start: of API callers, of changes, of initial
 * syncs.
 */
export const priorities = ['caller', 'sync', 'initial-sync'] as const
export type ProviderPriority = (typeof priorities)[number]

/** OAuth2 application, whose request limits its accounts share. */
export interface ProviderApplication {
  provider: Provider
  application: string
}

/** Mailbox at a provider whose request limits apply. */
export interface ProviderAccount extends ProviderApplication {
  account: string
}

export interface ProviderCall {
  /** Method of the provider's API in the form of the quota table: `messages.get`. */
  operation: string
  /** Number of calls of the method in one request, such as the parts of a batch; defaults to 1. */
  count?: number
  /**
   * Concurrent requests that the provider makes of the call, such as parts of a batch; defaults to
   * 1.
   */
  slots?: number
  /** Bytes of the request body; defaults to 0. */
  bytes?: number
  priority: ProviderPriority
  /**
   * Remaining time of the API request. The wait for a permit is 1 s shorter, so that the response
   * still arrives. Default: no limit.
   */
  timeoutMs?: number
  signal?: AbortSignal
}

/** Source of the units of mailboxes, for a process that does not own their quota. */
export interface UnitSource {
  /**
   * Resolves when the caller may send one request of `units`, within `loanValidMs`.
   *
   * @throws RateLimitedError if the wait exceeds `maxWaitMs`; the signal's reason
   */
  take(
    mailbox: ProviderAccount,
    request: Pick<QuotaRequest, 'units' | 'maxWaitMs' | 'signal'>,
  ): Promise<void>
  /** Reports a pause of the mailbox to the process that owns the quota. */
  reportPause(mailbox: ProviderAccount, ms: number): void
}

interface CommonOptions {
  limits: ProviderLimitTable
  /**
   * Returns the number of live processes of this service, which share the service's part of the
   * units of an application equally.
   */
  replicas: () => number
  metrics?: ProviderMetrics
  clock?: Clock
}

/** A sync-worker owns the units of its mailboxes. */
export interface WorkerLimiterOptions extends CommonOptions {
  service: 'sync-worker'
  /**
   * Returns true if all live processes lend units or borrow units. Otherwise senders of an earlier
   * release use a fixed share of the units of each mailbox, which this process leaves to the
   * senders.
   */
  lendsAll?: () => boolean
  /**
   * Time of the limiter's clock since which this process has the mailbox. Undefined if no other
   * process had the mailbox before.
   */
  heldSince?: (account: string) => number | undefined
}

/** A sender borrows the units of mailboxes. */
export interface SenderLimiterOptions extends CommonOptions {
  service: 'sender'
  source: UnitSource
}

export type ProviderLimiterOptions = WorkerLimiterOptions | SenderLimiterOptions
