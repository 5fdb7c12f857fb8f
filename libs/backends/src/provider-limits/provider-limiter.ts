import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import {
  type Clock,
  type Permit,
  QueueFullError,
  QuotaLimiter,
  type QuotaRate,
  type QuotaRequest,
  RateLimitedError,
} from '@posthorn/flow'
import type { LimitScope, ProviderMetrics } from './provider-metrics.ts'
import type { Provider, ProviderLimits, ProviderLimitTable } from './provider-limits.ts'

/**
 * Order in which waiting requests to a provider start: of API callers, of changes, of initial
 * syncs.
 */
const priorities = ['caller', 'sync', 'initial-sync'] as const
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

export interface ProviderLimiterOptions {
  limits: ProviderLimitTable
  /**
   * Service of this process. Each service has a part of the provider's quota units and of the
   * concurrent requests.
   */
  service: 'sync-worker' | 'sender'
  /**
   * Returns the number of live processes of this service, which share the service's part equally.
   */
  replicas: () => number
  metrics?: ProviderMetrics
  clock?: Clock
}

/**
 * Maximum waiting requests per account and priority. A waiting request holds at most its
 * parameters.
 */
const maxWaiting = 1_000
/**
 * Part of the provider's quota units that is available immediately. With the published limits, this
 * part is enough for a batch of 25 gets, or for sending a message. With lower limits, it is enough
 * for one call of each kind.
 */
const burstPart = 1 / 8
/**
 * Minimum size of a request body that counts as an upload. Smaller bodies do not count as uploads,
 * so that changes do not wait behind uploads.
 */
const minUploadBytes = 16_384
/**
 * Part of the upload bytes that processes of sender have: most messages are sent, few are uploaded.
 */
const senderUploadPart = 2 / 3
/** Part of the upload bytes of a process that is available immediately. */
const uploadBurstPart = 1 / 2
/** Request quota without effect: more units than all processes can use. */
const unlimited: QuotaRate = { units: 2e15, windowMs: 1, burst: 1e15 }
/** Time reserved for the response of this product to reach the API client. */
const responseMs = 1_000

/**
 * Limits the requests of this process to mail providers, per account and per application. Each
 * process has a fixed part, so that all processes together stay below the limits of the provider.
 * Processes share the pauses of applications only. Memory: one entry per account in use and one per
 * application.
 */
export class ProviderLimiter {
  readonly #options: ProviderLimiterOptions
  readonly #applications = new Map<string, QuotaLimiter>()
  readonly #uploads = new Map<string, QuotaLimiter>()
  /** Called for a request limit of an application that this process ran into. See `sharePauses`. */
  onApplicationPause: ((application: ProviderApplication, ms: number) => void) | undefined

  constructor(options: ProviderLimiterOptions) {
    this.#options = options
  }

  /** Number of accounts in memory: accounts in use, paused, or without all of their quota units. */
  get size(): number {
    const limiters = [...this.#applications.values(), ...this.#uploads.values()]
    return limiters.reduce((sum, { size }) => sum + size, 0)
  }

  /**
   * Waits for a permit for one request to the provider; dispose of the permit when the response has
   * been read.
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
      // Upload bytes are taken first, so that no permit is held during the longer wait.
      await this.#takeBytes(mailbox, call.bytes ?? 0, request)
      const units = (costs[operation] ?? defaultCost) * count
      const limiter = this.#limiterOf(mailbox)
      const permit = await limiter.acquire(mailbox.account, { ...request(units), slots })
      const { provider } = mailbox
      this.#options.metrics?.sent({ provider, method: operation, count, units })
      return permit
    } catch (error) {
      throw toAppError(error)
    }
  }

  /**
   * Starts no request for the mailbox until a later time, as the provider requested by
   * `Retry-After`.
   */
  pause(mailbox: ProviderAccount, retryAfterMs: number): void {
    const { provider, account } = mailbox
    this.#limiterOf(mailbox).pause(account, retryAfterMs)
    this.#options.metrics?.paused({ provider, scope: 'mailbox', ms: retryAfterMs })
  }

  /** Counts a request that the provider refused because of a limit. */
  countRefusal({ provider }: ProviderAccount, method: string, scope: LimitScope): void {
    this.#options.metrics?.limited({ provider, method, scope })
  }

  /**
   * Starts the requests of the mailbox one by one for `ms`: the provider had too many open requests
   * of the mailbox.
   */
  narrow(mailbox: ProviderAccount, ms: number): void {
    this.#limiterOf(mailbox).narrow(mailbox.account, ms)
  }

  /** Number of concurrent requests that this process may make for the mailbox now. */
  concurrency(mailbox: ProviderAccount): number {
    return this.#limiterOf(mailbox).concurrency(mailbox.account)
  }

  /**
   * Starts no request of the OAuth2 application, in this process and in all others that share
   * pauses: the provider refused a request because of a limit of the application.
   */
  pauseApplication({ provider, application }: ProviderApplication, retryAfterMs: number): void {
    this.applyPause({ provider, application }, retryAfterMs)
    this.onApplicationPause?.({ provider, application }, retryAfterMs)
  }

  /** Starts no request of the OAuth2 application in this process. */
  applyPause(application: ProviderApplication, retryAfterMs: number): void {
    const { provider } = application
    // A process also receives its own broadcast, which must not count the pause again.
    const ms = this.#limiterOf(application).pauseAll(retryAfterMs)
    this.#options.metrics?.paused({ provider, scope: 'application', ms })
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
    const part = service === 'sender' ? senderUploadPart : 1 - senderUploadPart
    const limiter =
      this.#uploads.get(key) ?? createUploadLimiter(uploadBytes * part, { windowMs, clock })
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

/** Limiter of upload bytes per mailbox. Bytes are counted apart from requests and slots. */
function createUploadLimiter(
  units: number,
  { windowMs, clock }: { windowMs: number; clock: Clock | undefined },
): QuotaLimiter {
  return new QuotaLimiter({
    perKey: { units, windowMs, burst: units * uploadBurstPart, concurrent: Infinity },
    total: unlimited,
    priorities: priorities.length,
    maxWaiting,
    ...defined({ clock }),
  })
}

function createLimiter(
  { service, replicas, clock }: ProviderLimiterOptions,
  limits: ProviderLimits,
): QuotaLimiter {
  const isSender = service === 'sender'
  const part = (isSender ? limits.senderPercent : 100 - limits.senderPercent) / 100
  const maxCost = Math.max(limits.defaultCost, ...Object.values(limits.costs))
  const rateOf = (units: number, windowMs: number): QuotaRate => ({
    units,
    windowMs,
    burst: Math.min(units / 2, Math.max(units * burstPart, maxCost)),
  })
  return new QuotaLimiter({
    perKey: {
      ...rateOf(limits.accountUnits * part, limits.accountWindowMs),
      concurrent: isSender ? limits.senderConcurrency : limits.workerConcurrency,
    },
    total: () => {
      const units = (limits.applicationUnits * part) / Math.max(1, replicas())
      return rateOf(units, limits.applicationWindowMs)
    },
    priorities: priorities.length,
    maxWaiting,
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
