import { randomUUID } from 'node:crypto'
import { defined } from '@posthorn/contracts/defined'
import type { Backoff } from '@posthorn/flow'
import type { StreamedResponse } from '@posthorn/net/call'
import type { HttpMethod } from '@posthorn/net/call'
import type { ProviderError } from '@posthorn/net/provider-error'
import type { ProviderHttp, ProviderJson } from '@posthorn/net/provider-http'
import type { MailApiAccess, MailApiLogin, MailApiUse } from '../mail-api/access.ts'
import { isMailApiError, MailApiError, type MailApiFailure } from '../mail-api/errors.ts'
import {
  type ClientRequest,
  isApplicationLimit,
  ProviderClient,
} from '../provider-client/provider-client.ts'
import type { ProviderLimiter } from '../provider-limits/provider-limiter.ts'
import { assertBatchForm, assertGraphForm } from './form.ts'
import { graphError, isTooManyOpen, subscriptionError } from './graph-error.ts'

export interface GraphClientOptions {
  http: ProviderHttp
  limiter: ProviderLimiter
  access: MailApiAccess
  use: MailApiUse
  delayMs?: Backoff
}

export interface GraphRequest {
  method?: HttpMethod
  /** Path of a Graph request, relative to the mailbox, with encoded ids: `/messages/AAMk%3D`. */
  path: string
  /**
   * Query parameters of a Graph request. Undefined values are left out. A string is a query that is
   * already encoded, from a link of Graph.
   */
  query?: Readonly<Record<string, string | undefined>> | string
  /**
   * Values of the header `Prefer` of a Graph request, in addition to the value for immutable ids.
   */
  prefer?: readonly string[]
  json?: object
  /** Body of a Graph request: a message (RFC 5322), sent as base64. */
  mime?: Uint8Array
  /** Etag that the requested object must have, otherwise Graph refuses the request. */
  ifMatch?: string
  /** True to repeat a Graph request after temporary failures; defaults to true for GET. */
  repeatable?: boolean
  /**
   * Failure to report if the object of a Graph request does not exist; defaults to the failure of
   * the error code.
   */
  missing?: MailApiFailure
  /** Checks the form of Graph's response. Default: checks the types of all members. */
  check?: (json: unknown) => void
  signal: AbortSignal
}

export interface GraphBatch<T> {
  size: number
  /**
   * True if a Graph batch contains only reads. Such a batch is sent again after temporary failures
   * (network, 5xx, malformed response).
   */
  repeatable: boolean
  /**
   * Returns the parts of the Graph batch to send now, in the format of Graph. Called again after a
   * rejected token.
   */
  requests: () => object[]
  /**
   * Processes the response to a Graph batch. Throws the error of a part whose token was rejected.
   */
  take: (json: NonNullable<T>) => void
}

/**
 * Largest response of Graph that is read into memory. A page has 1,000 messages without texts, or
 * one message with texts.
 */
const maxJsonBytes = 40 * 1024 * 1024
/**
 * Maximum parts of a Graph batch request. Graph permits 4 concurrent requests per mailbox and runs
 * the parts of a batch concurrently. One of the 4 requests is reserved for the service that sends
 * mail.
 */
const maxParts = 3
/**
 * Time during which the requests of a mailbox run one at a time, and a batch has only one part,
 * after the error `ErrorTooManyObjectsOpened`, which many concurrent moves of messages cause.
 */
const narrowMs = 60_000
/** Maximum length of the query of a Graph link, in characters. Page tokens are part of the URL. */
const maxQueryLength = 8_000

/**
 * Client for the requests to one mailbox of Microsoft Graph. Paths begin with `/me` for the mailbox
 * of the token's user, whose email address may differ from its name in the directory. Paths of
 * other mailboxes, and all paths with tokens of applications, begin with `/users/{mailbox}`.
 */
export class GraphClient {
  readonly #options: GraphClientOptions
  readonly #client: ProviderClient
  readonly #subscriptions: ProviderClient

  constructor(options: GraphClientOptions) {
    this.#options = options
    const toError = (error: ProviderError) => this.toError(error)
    this.#client = new ProviderClient({ ...options, toError })
    this.#subscriptions = new ProviderClient({ ...options, toError: subscriptionError })
  }

  get access(): MailApiAccess {
    return this.#options.access
  }

  get delayMs(): Backoff | undefined {
    return this.#options.delayMs
  }

  /** Maximum parts of a batch request to Graph. The parts run concurrently. */
  get batchSize(): number {
    const { limiter, access } = this.#options
    return Math.min(maxParts, limiter.concurrency(access))
  }

  /**
   * Converts an error response of Graph. Too many open objects limit the mailbox to single
   * requests.
   */
  toError(error: ProviderError): MailApiError {
    const { limiter, access } = this.#options
    if (isTooManyOpen(error)) limiter.narrow(access, narrowMs)
    return graphError(error)
  }

  /** Delays all Graph requests that share the exceeded rate limit of a refused part of a batch. */
  pause(error: MailApiError, ms: number): void {
    const { limiter, access } = this.#options
    const isShared = isApplicationLimit(error)
    limiter.countRefusal(access, 'POST', isShared ? 'application' : 'mailbox')
    if (isShared) limiter.pauseApplication(access, ms)
    else limiter.pause(access, ms)
  }

  /** Email address of the Graph mailbox. Usually needs no request, because the login is cached. */
  async mailbox(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted()
    return (await this.#options.access.login({ fresh: false, signal })).user
  }

  /** Path of the Graph mailbox, such as `/me`, relative to the version of the API. */
  async root(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted()
    return rootOf(await this.#options.access.login({ fresh: false, signal }))
  }

  /**
   * Sends a request to Graph and reads the JSON object of the response. Responses with status 202
   * and 204 have no object.
   */
  async json<T>(request: GraphRequest): Promise<T> {
    return (await this.response<T>(request)).json as T
  }

  response<T>(request: GraphRequest): Promise<ProviderJson<T>> {
    return renamed(request, () => this.#client.json<T>(clientRequest(request)))
  }

  open(request: GraphRequest): Promise<StreamedResponse> {
    return renamed(request, () => this.#client.open(clientRequest(request)))
  }

  /**
   * Sends a Graph batch of at most `size` requests. Limits of requests and of concurrent requests
   * count the batch as `size` requests.
   * @throws MailApiError that the function `take` throws, for a rejected token only after a repeat
   * with a new token
   */
  batch<T>(
    { size, repeatable, requests, take }: GraphBatch<T>,
    signal: AbortSignal,
  ): Promise<void> {
    const request: ClientRequest = {
      ...clientRequest({ method: 'POST', path: '', json: {}, signal }),
      url: '/v1.0/$batch',
      count: size,
      slots: size,
      repeatable,
    }
    return this.#client.send(request, async (http, ready) => {
      const body = JSON.stringify({ requests: requests() })
      const { json } = await http.json<T>({ ...ready, body })
      assertBatchForm(json)
      take(json)
    })
  }

  /** Sends bytes of a file to the address of a Graph upload session. */
  upload(
    url: string,
    { body, range, signal }: { body?: Uint8Array; range?: string; signal: AbortSignal },
  ): Promise<ProviderJson<unknown>> {
    return this.#client.upload({
      operation: 'upload',
      method: body ? 'PUT' : 'GET',
      url,
      ...(body && { body }),
      headers: defined({ 'content-range': range }),
      repeatable: !body,
      signal,
    })
  }

  /** Sends a Graph request about subscriptions, whose paths are not below the mailbox. */
  subscription<T>(request: GraphRequest): Promise<ProviderJson<T>> {
    const { path, query } = request
    const url = `/v1.0/subscriptions${path}${queryText(query)}`
    return this.#subscriptions.json<T>({ ...clientRequest(request), url })
  }
}

/** Headers of Graph requests and of parts of a batch. Only these headers request immutable ids. */
export function graphHeaders({ prefer = [], ifMatch }: Pick<GraphRequest, 'prefer' | 'ifMatch'>) {
  return defined({
    prefer: ['IdType="ImmutableId"', ...prefer].join(', '),
    'if-match': ifMatch,
  })
}

function rootOf({ user, own }: MailApiLogin): string {
  return own ? '/me' : `/users/${encodeURIComponent(user)}`
}

/** Query of a Graph request, with `?`, encoded as Graph requires: blanks as `%20`. */
export function queryText(query: GraphRequest['query'] = {}): string {
  if (typeof query === 'string') return query === '' ? '' : `?${query}`
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/**
 * Query of a link in a Graph response. Only the query of a link is stored and used again, so that a
 * stored link never leads to another path or host.
 * @throws MailApiError `unavailable` for a link that cannot be used
 */
export function linkQuery(link: string): string {
  const query = /^[^?]*\?([!-~]+)$/.exec(link)?.[1]
  if (query === undefined || query.length > maxQueryLength)
    throw new MailApiError('unavailable', 'The provider sent a link that cannot be used')
  return query
}

async function renamed<T>({ missing }: GraphRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw missing === undefined ? error : renameMissing(error, missing)
  }
}

/** Replaces an error of Graph about a missing object by an error with the failure `missing`. */
export function renameMissing(error: unknown, missing: MailApiFailure): unknown {
  const isMissing =
    isMailApiError(error, 'message-missing') || isMailApiError(error, 'unreadable-id')
  if (!isMissing && !isMailApiError(error, 'folder-missing')) return error
  return new MailApiError(missing, error.message, defined({ status: error.status, cause: error }))
}

function clientRequest(request: GraphRequest): ClientRequest {
  const { method = 'GET', path, query, json, mime, signal } = request
  const { repeatable = method === 'GET' } = request
  const check: (received: unknown) => void = request.check ?? assertGraphForm
  return {
    operation: method,
    method,
    url: (_mailbox, login) => `/v1.0${rootOf(login)}${path}${queryText(query)}`,
    headers: {
      ...graphHeaders(request),
      'client-request-id': randomUUID(),
      ...(json && { 'content-type': 'application/json' }),
      ...(mime && { 'content-type': 'text/plain' }),
    },
    ...bodyOf(json, mime),
    check: ({ status, json: received }) => {
      // Graph responds to a message in MIME format that is too large with status 200 and no body.
      const mayBeEmpty = method !== 'GET' && ([202, 204].includes(status) || mime !== undefined)
      if (received !== undefined || !mayBeEmpty) check(received)
    },
    maxBytes: maxJsonBytes,
    repeatable,
    signal,
  }
}

function bodyOf(json?: object, mime?: Uint8Array): { body?: string } {
  if (json) return { body: JSON.stringify(json) }
  return mime ? { body: Buffer.from(mime).toString('base64') } : {}
}
