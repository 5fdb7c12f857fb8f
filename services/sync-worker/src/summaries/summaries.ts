import type { Bus } from '@posthorn/bus'
import { getOpenAiApiKey } from '@posthorn/contracts/commands/credentials'
import type { MessageSummary } from '@posthorn/contracts/schemas/summary'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { messageOf } from '@posthorn/errors'
import { backoff, CircuitBreaker, type Clock, Semaphore, TtlCache } from '@posthorn/flow'
import { createHttpCaller } from '@posthorn/net/http-caller'
import type { HttpProxy } from '@posthorn/net/proxy-agents'
import type { Logger } from '@posthorn/telemetry'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Config } from '../config.ts'
import type { WorkerMetrics } from '../metrics.ts'
import {
  createEndpoint,
  maxResponseBytes,
  type SummaryEndpoint,
  type SummaryResponse,
} from './endpoint.ts'
import type { SummaryInput } from './input.ts'

/** Outcomes of an attempt to summarise a message for which the endpoint returned no response. */
type LocalOutcome = 'late' | 'circuit-open' | 'no-key'

/**
 * Outcome of a request for a summary, as counted in the metrics. `circuit-open`: suspended by the
 * circuit breaker; `no-key`: neither a key nor a URL is configured, or auth-bridge did not respond;
 * `late`: no response or permit in time; `batch-timeout`: the batch of requests had used up its
 * time.
 */
export type SummaryOutcome = SummaryResponse['outcome'] | LocalOutcome | 'batch-timeout'

/**
 * Batch of summaries, by a language model, of the new messages that one mailbox sync found. A
 * caller waits little longer than three request timeouts for all summaries of a batch.
 */
export interface SummaryBatch {
  /** Requests a summary of a message. Never rejects; resolves to undefined without a summary. */
  request(input: SummaryInput, settings: Settings): Promise<MessageSummary | undefined>
  /**
   * Waits for the requests for message summaries of a batch. The waiting time counts against the
   * time limit of the batch.
   */
  waitAll<T>(requests: readonly Promise<T>[]): Promise<T[]>
}

interface SummariesOptions {
  bus: Bus
  unsealLogin: UnsealLogin
  metrics: Pick<WorkerMetrics, 'summarised'>
  log: Logger
  config: Config['summaries']
  proxy: () => Promise<HttpProxy | undefined>
}

const timeoutsPerBatch = 3

/** Creates the client of the endpoint for message summaries, with a separate HTTP client. */
export function createSummaries(stack: AsyncDisposableStack, options: SummariesOptions): Summaries {
  const { timeoutMs, egressPolicy: policy } = options.config
  const { proxy } = options
  const http = stack.use(createHttpCaller({ policy, proxy, timeoutMs, maxResponseBytes }))
  return new Summaries(options, createEndpoint(http))
}

/** Interval at which the API key for summaries is read again, in case an invalidation was lost. */
const apiKeyTtlMs = 60_000
const apiKeyTimeoutMs = 5_000

/**
 * Creates a cache of the API key of the summaries endpoint, requested from auth-bridge. Failures
 * are not cached.
 */
function cacheApiKey(bus: Pick<Bus, 'request'>) {
  const cache = new TtlCache<'key', string | undefined>({ ttlMs: apiKeyTtlMs, max: 1 })
  const load = async () => {
    const options = { key: 'credentials', timeoutMs: apiKeyTimeoutMs }
    const { openAiAPIKey } = await bus.request(getOpenAiApiKey, {}, options)
    return openAiAPIKey
  }
  return { get: () => cache.load('key', load), invalidate: () => cache.clear() }
}

const maxOpenMs = 600_000

/**
 * Creates the circuit breaker for requests to the AI endpoint that summarises messages. The circuit
 * breaker opens after three failures in a row, first for 30 s, later for up to 10 min.
 */
export function createBreaker(clock?: Clock): CircuitBreaker {
  const openMs = backoff({ baseMs: 30_000, maxMs: maxOpenMs })
  return new CircuitBreaker({
    failureThreshold: 3,
    openMs,
    successCloses: false,
    ...(clock && { clock }),
  })
}

/**
 * Records a failed request for a summary in the circuit breaker. Limits the delay of a Retry-After
 * header to 10 min.
 */
export function recordFailure(breaker: CircuitBreaker, retryAfterMs = 0): void {
  breaker.failure(Math.min(maxOpenMs, retryAfterMs))
}

/** Outcomes of summaries that do not count as failures in the circuit breaker. */
const neutralOutcomes = new Set<SummaryOutcome>(['no-key', 'declined', 'invalid-response'])

type Attempt = SummaryResponse | { outcome: LocalOutcome }

interface SummaryRequest {
  input: SummaryInput
  settings: Settings
}

/** Requests message summaries. Limits the concurrent requests and the time of each request. */
export class Summaries {
  readonly #options: SummariesOptions
  readonly #endpoint: SummaryEndpoint
  readonly #apiKey: ReturnType<typeof cacheApiKey>
  readonly #breaker = createBreaker()
  readonly #semaphore: Semaphore

  constructor(options: SummariesOptions, endpoint: SummaryEndpoint) {
    this.#options = options
    this.#endpoint = endpoint
    this.#apiKey = cacheApiKey(options.bus)
    this.#semaphore = new Semaphore(options.config.concurrency)
  }

  /** Starts the batch of summaries of one mailbox sync. The abort signal cancels the summaries. */
  startBatch(signal: AbortSignal): SummaryBatch {
    const { metrics, config } = this.#options
    let leftMs = timeoutsPerBatch * config.timeoutMs
    return {
      request: async (input, settings) => {
        if (leftMs > 0) return this.#request({ input, settings }, signal)
        metrics.summarised('batch-timeout', 0)
        return undefined
      },
      async waitAll(requests) {
        const start = performance.now()
        const results = await Promise.all(requests)
        leftMs -= performance.now() - start
        return results
      },
    }
  }

  /** Resets the cached API key and the circuit breaker. Called after a change of the settings. */
  invalidate(): void {
    this.#apiKey.invalidate()
    this.#breaker.reset()
  }

  /** Requests a summary of a message. Never rejects. The timeout includes the wait for a permit. */
  async #request(
    request: SummaryRequest,
    signal: AbortSignal,
  ): Promise<MessageSummary | undefined> {
    const { metrics, config, log } = this.#options
    const start = performance.now()
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs)])
    const attempt = await this.#attempt(request, { signal, deadline }).catch((err: unknown) => {
      log.debug({ reason: messageOf(err) }, 'summary not available in time')
      return { outcome: 'late' } as const
    })
    if (!signal.aborted) metrics.summarised(attempt.outcome, (performance.now() - start) / 1_000)
    return attempt.outcome === 'made' ? attempt.summary : undefined
  }

  async #attempt(
    request: SummaryRequest,
    { signal, deadline }: { signal: AbortSignal; deadline: AbortSignal },
  ): Promise<Attempt> {
    const breaker = this.#breaker
    using _permit = await this.#semaphore.acquire(deadline)
    // The circuit breaker of the AI endpoint is checked after the wait for a free slot among the
    // concurrent requests, because the circuit breaker may have opened during the wait.
    if (!breaker.tryAcquire()) return { outcome: 'circuit-open' }
    const attempt = await this.#send(request, deadline)
    if (signal.aborted || neutralOutcomes.has(attempt.outcome)) breaker.cancel()
    else if (attempt.outcome === 'made') breaker.success()
    else recordFailure(breaker, 'retryAfterMs' in attempt ? attempt.retryAfterMs : 0)
    return attempt
  }

  async #send({ input, settings }: SummaryRequest, deadline: AbortSignal): Promise<Attempt> {
    const { unsealLogin, log } = this.#options
    try {
      const key = await this.#apiKey.get()
      const { openAiAPIUrl: url } = settings
      if (key === undefined && !url) return { outcome: 'no-key' }
      const unsealed = url ? { ...settings, openAiAPIUrl: await unsealLogin(url) } : settings
      const response = await this.#endpoint.summarise(input, unsealed, { key, signal: deadline })
      return deadline.aborted && response.outcome !== 'made' ? { outcome: 'late' } : response
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'summary request failed')
      return { outcome: 'unreachable', retryAfterMs: 0 }
    }
  }
}
