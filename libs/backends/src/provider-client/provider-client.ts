import { finished } from 'node:stream'
import { AppError } from '@posthorn/errors'
import { type Backoff, backoff, type Permit, sleep } from '@posthorn/flow'
import type { StreamedResponse } from '@posthorn/net/call'
import { ProviderError } from '@posthorn/net/provider-error'
import type { ProviderHttp, ProviderJson, ProviderRequest } from '@posthorn/net/provider-http'
import type { MailApiAccess, MailApiLogin, MailApiUse } from '../mail-api/access.ts'
import { isMailApiError, MailApiError, type MailApiFailure } from '../mail-api/errors.ts'
import type { ProviderLimiter } from '../provider-limits/provider-limiter.ts'
import { logRequests } from './request-log.ts'

export interface ProviderClientOptions {
  readonly http: ProviderHttp
  readonly limiter: ProviderLimiter
  readonly access: MailApiAccess
  readonly use: MailApiUse
  /** Turns an error response of a mail provider into the failure that the provider means by it. */
  readonly toError: (error: ProviderError) => MailApiError
  /** Delays before repeated requests, if the mail provider names no delay. Default: 1 to 30 s. */
  readonly delayMs?: Backoff
}

export interface ClientRequest extends Omit<ProviderRequest, 'token' | 'url'> {
  /** Name of the provider operation in the table of quota costs. */
  operation: string
  /** Number of provider operations in the request, such as the parts of a batch; defaults to 1. */
  count?: number
  /** Concurrent requests that the mail provider makes of this request; defaults to 1. */
  slots?: number
  /**
   * Path or link of the request. A function gets the mailbox, an email address that is not encoded.
   */
  url: string | ((mailbox: string, login: MailApiLogin) => string)
  /**
   * True if a repeat of the request has no second effect: the request is repeated after temporary
   * failures. Other requests are repeated only if the provider did nothing: after rate limits and
   * rejected tokens.
   */
  repeatable: boolean
  /**
   * Checks the form of a successful JSON response of the provider. @throws MailApiError
   * `unavailable`
   */
  check?: (response: ProviderJson<unknown>) => void
  signal: AbortSignal
}

/**
 * Maximum repeats of a request to a mail provider after rate limits, and after temporary failures.
 */
const maxRepeats = { 'rate-limited': 5, unavailable: 3 } as const
/**
 * Time that a mail provider may take for a streamed body. Longer than any message needs. Ends a
 * body that arrives a byte now and then. The pauses of the reader do not count.
 */
const bodyTimeoutMs = 30 * 60_000
/** Maximum delay before the client repeats a request. A longer delay is the caller's decision. */
const maxDelayMs = 60_000

/**
 * Client that sends the requests of one `MailApi` to the mail provider: limits, login, renewal of a
 * rejected token, repeats. A failed request rejects with a `MailApiError`, the reason of its
 * signal, or an error of `access.login`.
 */
export class ProviderClient {
  readonly #options: ProviderClientOptions
  readonly #http: ProviderHttp
  readonly #delayMs: Backoff
  /** Time at which the API request that waits for the provider ends. */
  readonly #deadline: number

  constructor(options: ProviderClientOptions) {
    this.#options = options
    const { http, use } = options
    this.#http = use.openLog ? logRequests(http, use.openLog) : http
    this.#delayMs = options.delayMs ?? backoff({ baseMs: 1_000, maxMs: 30_000, jitter: 0.3 })
    this.#deadline = performance.now() + (use.timeoutMs ?? Infinity)
  }

  /** Sends a request to the mail provider and reads JSON. Only `check` decides about its form. */
  json<T>(request: ClientRequest): Promise<ProviderJson<T>> {
    return this.send(request, async (http, ready) => {
      const response = await http.json<T>(ready)
      request.check?.(response)
      return response
    })
  }

  /**
   * Sends a request to the mail provider by the function `run`, which runs again with each repeat.
   * `run` may reject with its own `ProviderError`, such as for a batch whose parts failed.
   */
  send<T>(
    request: ClientRequest,
    run: (http: ProviderHttp, ready: ProviderRequest) => Promise<T>,
  ): Promise<T> {
    return this.#repeat(request, async (send) => {
      using _permit = await this.#acquire(request)
      return await send(run)
    })
  }

  /**
   * Sends a request to the mail provider and opens the response. The permit of the request is held
   * until the body is read or the response disposed. The timeout of requests ends at the head; the
   * body takes the time that its reader takes.
   */
  open(request: ClientRequest): Promise<StreamedResponse> {
    return this.#repeat(request, async (send) => {
      using stack = new DisposableStack()
      stack.use(await this.#acquire(request))
      const response = await send((http, ready) => http.open({ ...ready, bodyTimeoutMs }))
      const held = stack.move()
      finished(response.body, () => held.dispose())
      return response
    })
  }

  /**
   * Sends a request to an upload address of the provider, without the access token, and reads JSON.
   */
  upload<T>(request: ClientRequest): Promise<ProviderJson<T>> {
    return this.#repeat(request, async (send) => {
      using _permit = await this.#acquire(request)
      return await send((http, { token: _token, ...ready }) => http.upload<T>(ready))
    })
  }

  async #repeat<T>(request: ClientRequest, work: (send: Send) => Promise<T>): Promise<T> {
    const counts = { 'rate-limited': 0, unavailable: 0 }
    const send = this.#sender(request)
    for (;;) {
      try {
        return await work(send)
      } catch (error) {
        if (!isTemporary(error)) throw error
        const { failure } = error
        counts[failure] += 1
        const delayMs = error.retryAfterMs ?? this.#delayMs(counts[failure])
        if (failure === 'rate-limited') this.#pause(request, error, delayMs)
        if (!canRepeat(request, failure) || counts[failure] > maxRepeats[failure]) throw error
        if (delayMs > Math.min(maxDelayMs, this.#deadline - performance.now())) throw error
        if (failure === 'unavailable') await sleep(delayMs, request.signal)
      }
    }
  }

  /**
   * Delays all provider requests that have the same limit: of the mailbox, or of the application.
   */
  #pause({ operation }: ClientRequest, error: MailApiError, delayMs: number): void {
    const { limiter, access } = this.#options
    const isShared = isApplicationLimit(error)
    limiter.countRefusal(access, operation, isShared ? 'application' : 'mailbox')
    if (isShared) limiter.pauseApplication(access, delayMs)
    else limiter.pause(access, delayMs)
  }

  /** Sends requests with the current access token. Renews a rejected token, once per request. */
  #sender(request: ClientRequest): Send {
    const { access } = this.#options
    let fresh = false
    return async (run) => {
      for (;;) {
        const login = await access.login({ fresh, signal: request.signal })
        try {
          return await run(this.#http, withLogin(request, login))
        } catch (error) {
          const failure = this.#failureOf(error, request.signal)
          const isRejected = isMailApiError(failure) && failure.code === 'OAuthTokenRejected'
          if (!isRejected || fresh || isStream(request.body)) throw failure
          fresh = true
        }
      }
    }
  }

  async #acquire(request: ClientRequest): Promise<Permit> {
    const { operation, count = 1, slots = 1, body, signal } = request
    const { limiter, access, use } = this.#options
    const timeoutMs = this.#deadline - performance.now()
    const bytes = sizeOf(body)
    const call = { operation, count, slots, bytes, priority: use.priority, signal, timeoutMs }
    try {
      return await limiter.acquire(access, call)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const retryAfterMs = Number(error.extras.ttl ?? 1) * 1_000
      throw new MailApiError('rate-limited', error.message, { retryAfterMs, cause: error })
    }
  }

  #failureOf(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason
    if (error instanceof ProviderError) return this.#options.toError(error)
    // Errors without a usable response of the provider: no response, an incomplete response, a
    // blocked address, or a link to another origin.
    if (!(error instanceof AppError) || isMailApiError(error)) return error
    return new MailApiError('unavailable', error.message, { cause: error })
  }
}

type Send = <T>(run: (http: ProviderHttp, request: ProviderRequest) => Promise<T>) => Promise<T>

/**
 * True for a failure after which the request is repeated. A rate limit without a status is the
 * limit of this process, which has waited already.
 */
function isTemporary(error: unknown): error is MailApiError & { failure: keyof typeof maxRepeats } {
  if (!isMailApiError(error) || !Object.hasOwn(maxRepeats, error.failure)) return false
  return error.failure === 'unavailable' || error.status !== undefined
}

/** True for a rate limit that all accounts of the OAuth2 application share. */
export function isApplicationLimit({ cause }: MailApiError): boolean {
  return cause instanceof ProviderError && cause.isApplicationLimit
}

function canRepeat({ repeatable, body }: ClientRequest, failure: MailApiFailure): boolean {
  return (repeatable || failure === 'rate-limited') && !isStream(body)
}

function isStream(body: ClientRequest['body']): boolean {
  return typeof body === 'object' && 'chunks' in body
}

/** Size in bytes of a request body in memory. */
function sizeOf(body: ClientRequest['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return body instanceof Uint8Array ? body.length : 0
}

function withLogin(request: ClientRequest, login: MailApiLogin): ProviderRequest {
  const { user, accessToken: token } = login
  const { operation: _operation, count: _count, repeatable: _repeatable, ...sent } = request
  const { check: _check, url, ...rest } = sent
  return { ...rest, token, url: typeof url === 'string' ? url : url(user, login) }
}
