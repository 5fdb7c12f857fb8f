import type { CallOptions, Client, Operation } from './calls/client.ts'
import { backoffMs, delay } from './calls/delay.ts'
import { PosthornConnectionError, PosthornError, readError } from './calls/errors.ts'
import { type RequestBody, serialize } from './calls/json-body.ts'

export type { CallOptions, Client } from './calls/client.ts'
export { PosthornConnectionError, PosthornError } from './calls/errors.ts'

/** Options of an API client. */
export interface ClientOptions {
  /** URL of the API, such as `https://posthorn.example`. */
  url: string | URL | undefined
  /** Access token of the API, or a function that returns the token for each attempt. */
  token?: string | (() => string | Promise<string>) | undefined
  /** Time after the start of an API call within which further attempts may start. Default 30 s. */
  retryForMs?: number | undefined
  /** Further HTTP headers of all API requests. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Function that sends the API requests. Default: the global `fetch`. */
  fetch?: typeof fetch | undefined
}

const defaultRetryForMs = 30_000

/** Creates a connection to the API, through which functions of operations send their requests. */
export function createClient(options: ClientOptions): Client {
  if (!options.url) throw new TypeError('url is missing: pass the URL of the Posthorn API')
  const { retryForMs = defaultRetryForMs, headers } = options
  const base = String(options.url).replace(/\/+$/, '')
  return {
    call(operation, input, callOptions = {}) {
      const request = toRequest(operation, { ...input })
      return attempt(operation, request, {
        ...options,
        url: base + request.path,
        signal: callOptions.signal,
        retryForMs: callOptions.retryForMs ?? retryForMs,
        headers: { ...headers, ...callOptions.headers, ...request.headers },
      })
    },
  }
}

interface ApiRequest {
  method: string
  /** Path of an API request with its query. */
  path: string
  headers: Record<string, string>
  body: RequestBody | undefined
}

/** Names of the HTTP headers that are members of the input of API operations. */
const headerNames: Readonly<Record<string, string>> = {
  timeout: 'X-SVC-Timeout',
  idempotencyKey: 'Idempotency-Key',
  range: 'Range',
  ifRange: 'If-Range',
}

/** Distributes the input of an API operation to path, query, headers and body of the request. */
function toRequest(
  { name, route, hasIdempotencyKey }: Operation<unknown>,
  { body, ...parameters }: Record<string, unknown>,
): ApiRequest {
  const [method = '', template = ''] = route.split(' ')
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = parameters[key]
    if (value === undefined || value === '') throw new TypeError(`${name}: ${key} is missing`)
    delete parameters[key]
    const text = toText(value)
    // URLs cannot encode the path segments `.` and `..`: the request would call another operation.
    if (text === '.' || text === '..') throw new TypeError(`${name}: ${key} must not be ${text}`)
    return encodeURIComponent(text)
  })
  const headers: Record<string, string> = {}
  if (hasIdempotencyKey) parameters['idempotencyKey'] ??= randomKey()
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(parameters)) {
    if (value === undefined) continue
    const header = headerNames[key]
    if (header === undefined) query.append(key, toText(value))
    else headers[header] = toText(value)
  }
  const text = query.toString()
  if (body !== undefined) headers['content-type'] = 'application/json'
  return {
    method,
    path: text === '' ? path : `${path}?${text}`,
    headers,
    body: body === undefined ? undefined : serialize(body),
  }
}

/** Text of an API request's parameter: a text, number or boolean. */
function toText(value: unknown): string {
  return String(value as string | number | boolean)
}

/** Random idempotency key. `crypto.randomUUID` is absent on pages without TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

interface AttemptOptions extends Omit<ClientOptions, 'url'>, CallOptions {
  url: string
  retryForMs: number
}

/**
 * Sends an API request until an attempt succeeds, fails permanently, or the deadline has passed.
 */
async function attempt<T>(
  operation: Operation<T>,
  request: ApiRequest,
  options: AttemptOptions,
): Promise<T> {
  const { url, retryForMs, signal, fetch: send = fetch } = options
  const deadline = Date.now() + retryForMs
  for (let failures = 0; ; failures += 1) {
    const init = await toRequestInit(request, options)
    try {
      const response = await send(url, init)
      if (!response.ok) throw await readError(operation.name, response)
      return await operation.read(response)
    } catch (error) {
      signal?.throwIfAborted()
      const failure =
        error instanceof PosthornError ? error : new PosthornConnectionError(operation.name, error)
      const isRepeated = mayRepeat(failure, operation, request.body)
      const waitMs = isRepeated ? delayBefore(failure, failures) : Infinity
      if (Date.now() + waitMs > deadline) throw failure
      await delay(waitMs, signal)
    }
  }
}

async function toRequestInit(
  { method, body }: ApiRequest,
  { token, headers, signal }: AttemptOptions,
): Promise<RequestInit> {
  const bearer = typeof token === 'function' ? await token() : token
  return {
    method,
    headers: { ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers },
    redirect: 'manual',
    ...(signal && { signal }),
    ...(await body?.create()),
  }
}

/**
 * True if the error code or status of the failure means that no part of the API request was
 * executed.
 */
function isUnexecuted(failure: PosthornError): boolean {
  return failure.status === 429 || failure.code === 'NotYetConnected'
}

function mayRepeat(
  failure: PosthornError | PosthornConnectionError,
  { isRepeatable }: Operation<unknown>,
  body: RequestBody | undefined,
): boolean {
  if (body?.isOneShot) return false
  if (failure instanceof PosthornConnectionError) return isRepeatable
  return failure.isRetryable && (isRepeatable || isUnexecuted(failure))
}

function delayBefore(failure: PosthornError | PosthornConnectionError, failures: number): number {
  const requested = failure instanceof PosthornError ? (failure.retryAfterMs ?? 0) : 0
  return Math.max(requested, backoffMs(failures))
}
