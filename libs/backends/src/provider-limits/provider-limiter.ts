import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import {
  type Clock,
  type Loan,
  type Permit,
  QueueFullError,
  QuotaLimiter,
  type QuotaRequest,
  RateLimitedError,
} from '@posthorn/flow'
import {
  accountShare,
  maxCostOf,
  rateOf,
  serviceShare,
  startAfter,
  unlimited,
} from './quota-shares.ts'
import {
  priorities,
  type ProviderAccount,
  type ProviderApplication,
  type ProviderCall,
  type ProviderLimiterOptions,
} from './limiter-options.ts'
import type { LimitScope } from './provider-metrics.ts'
import type { ProviderLimits } from './provider-limits.ts'

export type * from './limiter-options.ts'

/**
 * Maximum waiting requests per account and priority. A waiting request needs memory for its
 * parameters only.
 */
const maxWaiting = 1_000
/**
 * Minimum size of a request body to a mail provider that counts as an upload. Smaller bodies do not
 * count as uploads, so that changes do not wait behind uploads.
 */
const minUploadBytes = 16_384
/**
 * Share of a mailbox's upload bytes that all senders have together. The share is large, because
 * most messages are sent and few are uploaded to a folder.
 */
const senderUploadShare = 2 / 3
/** Share of a process's upload bytes (limit of a mail provider) that is available immediately. */
const uploadBurstShare = 1 / 2
/** Time reserved for the response of this product to reach the API client. */
const responseMs = 1_000

/**
 * Limits the requests of this process to mail providers, per account and per application, so that
 * all processes together stay below the limits of the provider. The quota units of an account
 * belong to its sync-worker, which lends units to senders. Each process has a fixed share of the
 * units of an application and of the concurrent requests. Memory: one entry per account in use and
 * one per application.
 */
export class ProviderLimiter {
  readonly #options: ProviderLimiterOptions
  readonly #applications = new Map<string, QuotaLimiter>()
  readonly #uploads = new Map<string, QuotaLimiter>()
  /**
   * Called when this process has exceeded a request limit of an OAuth2 application. See
   * `sharePauses`.
   */
  onApplicationPause: ((application: ProviderApplication, ms: number) => void) | undefined

  constructor(options: ProviderLimiterOptions) {
    this.#options = options
  }

  /**
   * Number of entries in the memory of the limiter: one per account that is in use, paused, or
   * without all of its quota units.
   */
  get size(): number {
    const limiters = [...this.#applications.values(), ...this.#uploads.values()]
    return limiters.reduce((sum, { size }) => sum + size, 0)
  }

  /**
   * Waits for a permit for one request to the mail provider. The caller disposes of the permit when
   * it has read the response.
   *
   * @throws AppError `rate-limited` with `ttl` (seconds) if the wait is longer than the API request
   * or too many requests wait; the signal's reason
   */
  async acquire(mailbox: ProviderAccount, call: ProviderCall): Promise<Permit> {
    const { operation, count = 1, slots, priority, timeoutMs = Infinity, signal } = call
    const { costs, defaultCost } = this.#options.limits[mailbox.provider]
    const deadline = performance.now() + timeoutMs - responseMs
    const request = (units: number) => ({
      units,
      priority: priorities.indexOf(priority),
      maxWaitMs: Math.max(0, deadline - performance.now()),
      signal,
    })
    try {
      // The permit for upload bytes comes first, so that a request to the mail provider holds no
      // other permit during the longer wait for upload bytes.
      await this.#takeBytes(mailbox, call.bytes ?? 0, request)
      const units = (costs[operation] ?? defaultCost) * count
      const limiter = this.#limiterOf(mailbox)
      const permit = await limiter.acquire(mailbox.account, { ...request(units), slots })
      await this.#borrow(mailbox, request(units), permit)
      const { provider, application } = mailbox
      this.#options.metrics?.sent({ provider, application, method: operation, count, units })
      return permit
    } catch (error) {
      throw toAppError(error)
    }
  }

  /**
   * Delays all provider requests for a mailbox, as the mail provider requested by `Retry-After`.
   */
  pause(mailbox: ProviderAccount, retryAfterMs: number): void {
    this.applyMailboxPause(mailbox, retryAfterMs)
    const { provider } = mailbox
    this.#options.metrics?.paused({ provider, scope: 'mailbox', ms: retryAfterMs })
    if (this.#options.service === 'sender') this.#options.source.reportPause(mailbox, retryAfterMs)
  }

  /**
   * Delays all provider requests for a mailbox, after the mail provider requested the delay from
   * another process.
   */
  applyMailboxPause(mailbox: ProviderAccount, retryAfterMs: number): void {
    this.#limiterOf(mailbox).pause(mailbox.account, retryAfterMs)
  }

  /**
   * Lends quota units of a mailbox to another process. A share of the units is kept for waiting
   * requests of this process.
   */
  lend(mailbox: ProviderAccount, units: number): Loan {
    const maxDebt = maxCostOf(this.#options.limits[mailbox.provider])
    return this.#limiterOf(mailbox).lend(mailbox.account, { units, maxDebt })
  }

  /** Counts a request that the mail provider refused because of a limit. */
  countRefusal(
    { provider, application }: ProviderAccount,
    method: string,
    scope: LimitScope,
  ): void {
    this.#options.metrics?.limited({ provider, application, method, scope })
  }

  /**
   * Starts provider requests for a mailbox one after the other for `ms`, after the mail provider
   * reported too many open requests for the mailbox.
   */
  narrow(mailbox: ProviderAccount, ms: number): void {
    this.#limiterOf(mailbox).narrow(mailbox.account, ms)
  }

  /** Number of concurrent requests for a mailbox that this process may send to the provider now. */
  concurrency(mailbox: ProviderAccount): number {
    return this.#limiterOf(mailbox).concurrency(mailbox.account)
  }

  /**
   * Delays all provider requests of an OAuth2 application, in this process and in all processes
   * that share pauses. Called after the provider refused a request because of a limit of the
   * application.
   */
  pauseApplication({ provider, application }: ProviderApplication, retryAfterMs: number): void {
    this.applyPause({ provider, application }, retryAfterMs)
    this.onApplicationPause?.({ provider, application }, retryAfterMs)
  }

  /** Delays all requests of an OAuth2 application to its mail provider, in this process. */
  applyPause(application: ProviderApplication, retryAfterMs: number): void {
    const { provider } = application
    // Only the delay that this pause of an OAuth2 application adds is counted: a process also
    // receives its own broadcast of a pause, which must not be counted again.
    const ms = this.#limiterOf(application).pauseAll(retryAfterMs)
    this.#options.metrics?.paused({ provider, scope: 'application', ms })
  }

  /**
   * Borrows the quota units of a request in a sender. If the units are refused, releases the permit
   * of the request. The units of the application stay used.
   */
  async #borrow(mailbox: ProviderAccount, request: QuotaRequest, permit: Permit): Promise<void> {
    if (this.#options.service !== 'sender') return
    try {
      await this.#options.source.take(mailbox, request)
    } catch (error) {
      permit[Symbol.dispose]()
      throw error
    }
  }

  async #takeBytes(
    mailbox: ProviderAccount,
    bytes: number,
    request: (units: number) => QuotaRequest,
  ): Promise<void> {
    const { service, limits, clock } = this.#options
    const { uploadBytes, uploadWindowMs: windowMs } = limits[mailbox.provider]
    if (uploadBytes === undefined || bytes < minUploadBytes) return
    const key = keyOf(mailbox)
    const share = service === 'sender' ? senderUploadShare : 1 - senderUploadShare
    const limiter =
      this.#uploads.get(key) ?? createUploadLimiter(uploadBytes * share, { windowMs, clock })
    this.#uploads.set(key, limiter)
    const permit = await limiter.acquire(mailbox.account, request(bytes))
    permit[Symbol.dispose]()
  }

  #limiterOf(mailbox: ProviderApplication): QuotaLimiter {
    const key = keyOf(mailbox)
    const existing = this.#applications.get(key)
    if (existing) return existing
    const limiter = createLimiter(this.#options, this.#options.limits[mailbox.provider])
    this.#applications.set(key, limiter)
    return limiter
  }
}

function keyOf({ provider, application }: ProviderApplication): string {
  return `${provider} ${application}`
}

/**
 * Creates a limiter of upload bytes per mailbox. Upload bytes are counted separately from requests
 * and concurrent requests.
 */
function createUploadLimiter(
  units: number,
  { windowMs, clock }: { windowMs: number; clock: Clock | undefined },
): QuotaLimiter {
  return new QuotaLimiter({
    perKey: { units, windowMs, burst: units * uploadBurstShare, concurrent: Infinity },
    total: unlimited,
    priorities: priorities.length,
    maxWaiting,
    ...defined({ clock }),
  })
}

function createLimiter(options: ProviderLimiterOptions, limits: ProviderLimits): QuotaLimiter {
  const { service, replicas, clock } = options
  const isSender = service === 'sender'
  const concurrent = isSender ? limits.senderConcurrency : limits.workerConcurrency
  return new QuotaLimiter({
    perKey: () => ({ ...(isSender ? unlimited : accountShare(limits, options)), concurrent }),
    total: () => {
      const units = limits.applicationUnits * serviceShare(limits, service)
      return rateOf(limits, units / Math.max(1, replicas()), limits.applicationWindowMs)
    },
    priorities: priorities.length,
    maxWaiting,
    ...(!isSender && { startOf: (account) => startAfter(limits, options.heldSince?.(account)) }),
    ...defined({ clock }),
  })
}

function toAppError(cause: unknown): unknown {
  const isLimited = cause instanceof RateLimitedError || cause instanceof QueueFullError
  if (!isLimited) return cause
  const retryAfterMs = cause instanceof RateLimitedError ? cause.retryAfterMs : 0
  return new AppError('rate-limited', 'The rate limit of the mail provider is exhausted', {
    extras: { ttl: Math.max(1, Math.ceil(retryAfterMs / 1_000)) },
    cause,
  })
}
