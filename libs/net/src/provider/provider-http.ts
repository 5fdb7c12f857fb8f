import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '@posthorn/errors'
import { type HttpMethod, HttpError, type StreamedResponse, type StreamRequest } from '../call.ts'
import type { HttpCaller } from '../http-caller.ts'
import type { OriginMap } from '../origin-map.ts'
import { readProviderError } from './provider-error.ts'

export interface ProviderHttpOptions {
  caller: Pick<HttpCaller, 'open'>
  /**
   * Origins of the mail provider's API. Only these origins receive the access token. Paths are
   * relative to the first origin.
   */
  origins: readonly [string, ...string[]]
  /**
   * Replacements for origins of the mail provider, for tests with a fake provider. Must equal the
   * option `origins` with which the HTTP caller `caller` was created.
   */
  mappedOrigins?: OriginMap
  /**
   * Maximum for the retry delay that a mail provider states in `Retry-After`, in milliseconds.
   * Defaults to 24 h.
   */
  maxRetryAfterMs?: number
}

export interface ProviderRequest extends Omit<StreamRequest, 'method'> {
  /** HTTP method of the request to the mail provider. Defaults to GET. */
  method?: HttpMethod
  /**
   * Path of the request to the mail provider, or a URL from a response of the provider, such as
   * `nextLink`, `deltaLink` or `Location`.
   */
  url: string
  /** Access token of the account at the mail provider. */
  token: string
  /**
   * HTTP statuses of the mail provider's responses that do not count as errors, in addition to 2xx.
   */
  accept?: readonly number[]
}

/**
 * Request to an upload URL that the mail provider returned. Such a request contains no access
 * token.
 */
export type UploadRequest = Omit<ProviderRequest, 'token'>

export interface ProviderJson<T> {
  status: number
  headers: IncomingHttpHeaders
  /**
   * Parsed JSON body of the provider's response. The types of its members are not checked.
   * Undefined if the body is empty.
   */
  json: T | undefined
}

/**
 * Client for the HTTP API of a mail provider. Redirects are not followed, and requests are not
 * repeated. Every method throws `ProviderError` for an error response, and AppError: `forbidden`
 * `ForeignProviderOrigin` for a link to another origin, `forbidden` `EEGRESSBLOCKED`, or
 * `unreachable` `ConnectionError` if there is no complete response.
 */
export interface ProviderHttp {
  /**
   * Sends a request with the account's access token to the mail provider. The caller has to read or
   * dispose the response.
   */
  readonly open: (request: ProviderRequest) => Promise<StreamedResponse>
  /**
   * Sends a request with the account's access token to the mail provider and reads a JSON response
   * of at most `maxBytes`.
   */
  readonly json: <T>(request: ProviderRequest) => Promise<ProviderJson<T>>
  /**
   * Sends a request without the access token to an upload URL of the mail provider, and reads a
   * JSON response.
   */
  readonly upload: <T>(request: UploadRequest) => Promise<ProviderJson<T>>
}

const dayMs = 86_400_000
/**
 * Maximum number of bytes that are read of the body of a mail provider's error response. Sufficient
 * for any error in JSON. HTML pages may be cut off.
 */
const maxErrorBytes = 64 * 1024
const maxUrlLength = 16 * 1024

/**
 * Creates the client for a mail provider's HTTP API. The client has no state, so that all accounts
 * at the provider can share it.
 */
export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const send = (request: SentRequest) => sendRequest(options, request)
  const open: ProviderHttp['open'] = async (request) =>
    send({ ...request, url: providerUrl(request.url, options) })
  return {
    open,
    json: async (request) => readJson(await open(request)),
    async upload(request) {
      const url = uploadUrl(request.url, options)
      return readJson(await send({ ...request, url, token: undefined }))
    },
  }
}

type SentRequest = Omit<ProviderRequest, 'token'> & { token: string | undefined }

/** Sends a request to the mail provider. No other function adds an access token to a request. */
async function sendRequest(
  { caller, maxRetryAfterMs = dayMs }: ProviderHttpOptions,
  { token, accept = [], method = 'GET', headers = {}, ...request }: SentRequest,
): Promise<StreamedResponse> {
  const own = Object.entries(headers).filter(([name]) => !credentialHeaders.has(name.toLowerCase()))
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await caller
    .open({ ...request, method, headers: { ...Object.fromEntries(own), ...authorization } })
    .catch((error: unknown) => {
      throw toAppError(error, request.signal)
    })
  const { status } = response
  if ((status >= 200 && status < 300) || accept.includes(status)) return response
  const text = await readText(response, maxErrorBytes)
  throw readProviderError({ status, headers: response.headers, text }, { maxRetryAfterMs, token })
}

const credentialHeaders = new Set(['authorization', 'cookie', 'proxy-authorization'])

/**
 * Resolves a path or link against the base URL of the mail provider. Returns the parsed URL as
 * text, so that no other parser can read a different host from the link.
 *
 * @throws AppError `forbidden` `ForeignProviderOrigin`
 */
function providerUrl(link: string, { origins, mappedOrigins }: ProviderHttpOptions): string {
  const url = parseUrl(link, origins[0])
  const allowed = [...origins, ...origins.map((origin) => mappedOrigins?.[origin])]
  if (url && allowed.includes(url.origin)) return url.href
  throw foreignOrigin()
}

/**
 * Checks an upload URL that the mail provider returned. Any origin with HTTPS is allowed, and so is
 * the origin of a fake provider in tests.
 */
function uploadUrl(link: string, { mappedOrigins }: ProviderHttpOptions): string {
  const url = parseUrl(link)
  const isFake = url !== undefined && Object.values(mappedOrigins ?? {}).includes(url.origin)
  if (url && (url.protocol === 'https:' || isFake)) return url.href
  throw foreignOrigin()
}

/**
 * Pattern of a link from a provider: an absolute URL or a path. `//host` and `https:host` do not
 * match, because URL parsers disagree about them.
 */
const linkPattern = /^(?:https?:\/\/[^/]|\/(?!\/))[^\\\s\p{Cc}]*$/iu

/**
 * Parses the URL of a request to the mail provider. A URL with a login is rejected, because the
 * login would replace the access token.
 */
function parseUrl(link: string, base?: string): URL | undefined {
  if (link.length > maxUrlLength || !linkPattern.test(link)) return undefined
  const url = URL.canParse(link, base) ? new URL(link, base) : undefined
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  return isHttp && url.username === '' && url.password === '' ? url : undefined
}

function foreignOrigin(): AppError {
  return new AppError('forbidden', 'The link is not one of the provider', {
    code: 'ForeignProviderOrigin',
  })
}

/**
 * Reads a JSON response of the provider. An incomplete or invalid body counts as a temporary error,
 * because providers may cut off bodies under load.
 */
async function readJson<T>(response: StreamedResponse): Promise<ProviderJson<T>> {
  const { status, headers } = response
  try {
    const text = await readWhole(response)
    return { status, headers, json: text === '' ? undefined : (JSON.parse(text) as T) }
  } catch (error) {
    if (error instanceof SyntaxError) throw unreachable('The provider returned invalid JSON')
    throw toAppError(error)
  }
}

/**
 * Reads the whole body of the mail provider's response. Reading fails if the body has more bytes
 * than `maxBytes` of the request.
 */
async function readWhole({ body }: StreamedResponse): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Reads at most `maxBytes` of the body of a mail provider's error response. If the body is
 * incomplete, returns the bytes that were received.
 */
async function readText(response: StreamedResponse, maxBytes: number): Promise<string> {
  using _closed = response
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes >= maxBytes) break
    }
  } catch {
    // An error while the body of an error response is read is ignored. The HTTP status is
    // sufficient, and the rest of the text is only a detail.
  }
  return Buffer.concat(chunks).toString('utf8').slice(0, maxBytes)
}

/**
 * Converts a failed request to the mail provider to an AppError. An error of the caller's request
 * body is returned unchanged.
 */
function toAppError(error: unknown, signal?: AbortSignal): unknown {
  if (!(error instanceof HttpError)) return error
  if (signal?.aborted) return signal.reason
  if (error.outcome === 'egress-blocked')
    return new AppError('forbidden', error.message, { code: 'EEGRESSBLOCKED' })
  return unreachable(`The provider did not respond (${error.outcome})`, error)
}

function unreachable(message: string, cause?: unknown): AppError {
  return new AppError('unreachable', message, { code: 'ConnectionError', cause })
}
