import type { IncomingHttpHeaders } from 'node:http'
import { defined } from '@posthorn/contracts/defined'
import { readRetryAfter, readRetryAfterText } from './retry-after.ts'

interface ProviderErrorFields {
  status: number
  code?: string | undefined
  retryAfterMs?: number | undefined
  isApplicationLimit?: boolean
  location?: string | undefined
}

/**
 * Error response of a mail provider. The message and the code come from the provider. Tokens in
 * them are replaced, and they have at most `maxTextLength` characters. The code is absent if the
 * body is not JSON of the provider.
 */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly status: number
  /**
   * Error code of the mail provider: `errors[0].reason` or `details[].reason` of Google,
   * `error.code` of Microsoft Graph, `error` of a token endpoint.
   */
  readonly code: string | undefined
  /**
   * Delay in milliseconds after which the mail provider allows a retry. Absent if the provider
   * states no valid delay.
   */
  readonly retryAfterMs: number | undefined
  /**
   * True if the error response reports a rate limit that is shared by all accounts of the OAuth2
   * application.
   */
  readonly isApplicationLimit: boolean
  readonly #location: string | undefined

  constructor(message: string, { status, code, location, ...limit }: ProviderErrorFields) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfterMs = limit.retryAfterMs
    this.isApplicationLimit = limit.isApplicationLimit ?? false
    this.#location = location
  }

  /**
   * Header `Location` of the mail provider's error response, unchanged. The header is not logged,
   * and its origin is checked before it is used for a request.
   */
  get location(): string | undefined {
    return this.#location
  }
}

export interface ErrorResponse {
  status: number
  headers: IncomingHttpHeaders
  /**
   * Body of the mail provider's error response, possibly only the beginning. The body may be JSON,
   * HTML or empty.
   */
  text: string
}

interface ErrorReadOptions {
  /**
   * Maximum retry delay in milliseconds. Longer delays in error responses of a mail provider are
   * shortened to this maximum.
   */
  maxRetryAfterMs: number
  /**
   * Access token of the request to the mail provider. The token is removed from error texts,
   * because the server may have returned it.
   */
  token?: string | undefined
}

const maxTextLength = 1_000

/** Reads an error response of Gmail, Pub/Sub, Microsoft Graph or a token endpoint. Never throws. */
export function readProviderError(
  { status, headers, text }: ErrorResponse,
  { maxRetryAfterMs, token }: ErrorReadOptions,
): ProviderError {
  const { code, message, quotaLimit } = readFields(text)
  const clean = (value: string) => cleanText(value, token)
  return new ProviderError(
    message === undefined ? `The provider responded with status ${status}` : clean(message),
    {
      status,
      code: code === undefined ? undefined : clean(code),
      location: headers.location,
      isApplicationLimit: isApplicationQuota(quotaLimit) || hasApplicationScope(headers),
      retryAfterMs:
        readRetryAfter(headers, { maxMs: maxRetryAfterMs }) ??
        readRetryAfterText(message ?? text, headers, maxRetryAfterMs),
    },
  )
}

/**
 * Removes tokens from an error text of a mail provider: the access token of the request, and any
 * possible token after the word `Bearer`.
 */
function cleanText(text: string, token: string | undefined): string {
  const forms = token ? [token, encodeURIComponent(token)] : []
  const redacted = forms.reduce((cleaned, form) => cleaned.replaceAll(form, '***'), text)
  return redacted.replace(/\bBearer\s+[\w.~+/=-]{8,}/gi, 'Bearer ***').slice(0, maxTextLength)
}

/**
 * True if the exceeded quota belongs to the Google Cloud project of the OAuth2 application, and not
 * to a user. Names of Google's quotas are, for example, `defaultPerMinutePerProject` and
 * `defaultPerMinutePerUser`.
 */
function isApplicationQuota(quotaLimit = ''): boolean {
  return /PerProject/i.test(quotaLimit)
}

/**
 * True if the exceeded rate limit belongs to the OAuth2 application. Microsoft Graph names the
 * scope of a limit, such as `Tenant_Application/ReadWrite/<application>/<tenant>`. An application
 * that belongs to one tenant has limits in both scopes.
 */
function hasApplicationScope(headers: IncomingHttpHeaders): boolean {
  return /^(?:Tenant_)?Application(?:\/|$)/i.test(String(headers['x-ms-throttle-scope'] ?? ''))
}

interface ErrorFields {
  code?: string
  message?: string
  /**
   * Name of the Google API quota that was exceeded. Google sends the name as
   * `metadata.quota_limit`.
   */
  quotaLimit?: string
}

/**
 * Reads the members of a mail provider's error response one by one, because members may have
 * unexpected types.
 */
function readFields(text: string): ErrorFields {
  const body = parseObject(text)
  const { error, error_description: description } = body
  // In an error response, a text in the member `error` means that a token endpoint has responded
  // (RFC 6749 §5.2).
  if (typeof error === 'string') return defined({ code: error, message: textOf(description) })
  if (!isObject(error)) return {}
  const [first] = Array.isArray(error['errors']) ? (error['errors'] as unknown[]) : []
  const reason = isObject(first) ? textOf(first['reason']) : undefined
  const detail = errorInfoOf(error['details'])
  return defined({
    code: reason ?? detail.reason ?? textOf(error['status']) ?? textOf(error['code']),
    message: textOf(error['message']),
    quotaLimit: detail.quotaLimit,
  })
}

/** Reason in an error of Google that has details (`google.rpc.ErrorInfo`) instead of `errors`. */
function errorInfoOf(details: unknown): { reason?: string; quotaLimit?: string } {
  const list: unknown[] = Array.isArray(details) ? details : []
  for (const detail of list) {
    const reason = isObject(detail) ? textOf(detail['reason']) : undefined
    if (!isObject(detail) || reason === undefined) continue
    const { metadata } = detail
    const quotaLimit = isObject(metadata) ? textOf(metadata['quota_limit']) : undefined
    return defined({ reason, quotaLimit })
  }
  return {}
}

function parseObject(text: string): { [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
