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
  /** Converts an error response of a mail provider to the failure that it means. */
  readonly toError: (error: ProviderError) => MailApiError
  /**
   * Delays before repeated requests, if the mail provider requests no delay. Default: 1 to 30 s.
   */
  readonly delayMs?: Backoff
}

export interface ClientRequest extends Omit<ProviderRequest, 'token' | 'url'> {
  /** Name of the mail provider's operation in the table of quota costs. */
  operation: string
  /**
   * Number of operations in the request to the mail provider, such as the parts of a batch;
   * defaults to 1.
   */
  count?: number
  /**
   * Number of concurrent requests that the mail provider counts for this request; defaults to 1.
   */
  slots?: number
  /**
   * Path or link of the request to the mail provider. A function gets the mailbox, an email address
   * that is not encoded.
   */
  url: string | ((mailbox: string, login: MailApiLogin) => string)
  /**
   * True if repeating the request to the mail provider has no second effect. Such a request is
   * repeated after temporary failures. Other requests are repeated only if the provider did
   * nothing, which is certain after rate limits and rejected tokens.
   */
  repeatable: boolean
  /**
   * Checks the form of a successful JSON response of the mail provider.
   * @throws MailApiError `unavailable` for a response of another form
   */
  check?: (response: ProviderJson<unknown>) => void
  signal: AbortSignal
}

/**
 * Maximum repeats of a request to a mail provider after rate limits, and after temporary failures.
 */
const maxRepeats = { 'rate-limited': 5, unavailable: 3 } as const
/**
 * Maximum time in which a mail provider has to send a streamed body. The time is longer than any
 * message needs, and ends a body that arrives one byte at a time. Time during which the reader does
 * not read is not counted.
 */
const bodyTimeoutMs = 30 * 60_000
/**
 * Maximum delay before the client repeats a request to a mail provider. If the provider requests a
 * longer delay, the request fails, and the caller decides.
 */
const maxDelayMs = 60_000

/**
 * Client that sends the requests of one `MailApi` to the mail provider. Waits for rate limits, adds
 * the login, renews a rejected token and repeats requests. A failed request rejects with a
 * `MailApiError`, the reason of its signal, or an error of `access.login`.
 */
export class ProviderClient {
  readonly #options: ProviderClientOptions
  readonly #http: ProviderHttp
  readonly #delayMs: Backoff
  /** Deadline of the API request for which this client sends requests to the mail provider. */
  readonly #deadline: number

  constructor(options: ProviderClientOptions) {
    this.#options = options
    const { http, use } = options
    this.#http = use.openLog ? logRequests(http, use.openLog) : http
    this.#delayMs = options.delayMs ?? backoff({ baseMs: 1_000, maxMs: 30_000, jitter: 0.3 })
    this.#deadline = performance.now() + (use.timeoutMs ?? Infinity)
  }

  /**
   * Sends a request to the mail provider and reads JSON. The form of the JSON is checked only by
   * `check`.
   */
  json<T>(request: ClientRequest): Promise<ProviderJson<T>> {
    return this.send(request, async (http, ready) => {
      const response = await http.json<T>(ready)
      request.check?.(response)
      return response
    })
  }

  /**
   * Sends a request to the mail provider with the function `run`, which is called again for each
   * repeat. `run` may reject with its own `ProviderError`, for example for a batch whose parts
   * failed.
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
   * until the body is read or the response is disposed of. The request timeout ends with the
   * response headers, so the caller may read the body slowly.
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
   * Sends a request to an upload address of the mail provider, without the access token, and reads
   * JSON.
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
        if (delayMs > Math.min(maxDelayMs, this.#maxWaitMs())) throw error
        if (failure === 'unavailable') await sleep(delayMs, request.signal)
      }
    }
  }

  /**
   * Delays all provider requests that share the exceeded limit: those of the mailbox, or those of
   * the application.
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

  /**
   * Maximum time that a request may still wait for rate limits: the remaining time of the API
   * request, or `use.maxWaitMs` if shorter.
   */
  #maxWaitMs(): number {
    const { maxWaitMs = Infinity } = this.#options.use
    return Math.min(maxWaitMs, this.#deadline - performance.now())
  }

  async #acquire(request: ClientRequest): Promise<Permit> {
    const { operation, count = 1, slots = 1, body, signal } = request
    const { limiter, access, use } = this.#options
    const timeoutMs = this.#maxWaitMs()
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
    // AppErrors that are no ProviderError mean that there is no usable response of the mail
    // provider: no response, an incomplete response, a blocked address, or a link to another
    // origin.
    if (!(error instanceof AppError) || isMailApiError(error)) return error
    return new MailApiError('unavailable', error.message, { cause: error })
  }
}

type Send = <T>(run: (http: ProviderHttp, request: ProviderRequest) => Promise<T>) => Promise<T>

/**
 * True for a failure after which a request to the mail provider is repeated. A rate limit without
 * an HTTP status is a limit of this process, for which the request has already waited, so the
 * request is not repeated.
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

/** Size in bytes of a request body in memory, before the body is sent to a mail provider. */
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
