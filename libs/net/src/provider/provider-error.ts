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
 * Error response of a mail provider. Message and code are the provider's, with tokens replaced and
 * at most `maxTextLength` characters; an absent code means that the body was not the provider's
 * JSON.
 */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly status: number
  /**
   * Error code of the provider: `errors[0].reason` or `details[].reason` of Google, `error.code` of
   * Graph, `error` of a token endpoint.
   */
  readonly code: string | undefined
  /** Retry delay that the provider requested; absent without a usable delay. */
  readonly retryAfterMs: number | undefined
  /** True for a rate limit that all accounts of the OAuth2 application share. */
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
   * Header `Location` of the error response as sent, not part of logs. Requests check its origin.
   */
  get location(): string | undefined {
    return this.#location
  }
}

export interface ErrorResponse {
  status: number
  headers: IncomingHttpHeaders
  /** Body of the error response, or its beginning: JSON, HTML, empty or truncated. */
  text: string
}

interface ErrorReadOptions {
  /** Upper bound of the retry delay that the provider requests. */
  maxRetryAfterMs: number
  /** Access token of the request, removed from the error texts in case the server returned it. */
  token?: string | undefined
}

const maxTextLength = 1_000

/** Reads an error response of Gmail, Pub/Sub, Graph or a token endpoint. Never throws. */
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
 * Removes tokens from an error text: the access token of the request, and any text after the scheme
 * `Bearer` that may be a token.
 */
function cleanText(text: string, token: string | undefined): string {
  const forms = token ? [token, encodeURIComponent(token)] : []
  const redacted = forms.reduce((cleaned, form) => cleaned.replaceAll(form, '***'), text)
  return redacted.replace(/\bBearer\s+[\w.~+/=-]{8,}/gi, 'Bearer ***').slice(0, maxTextLength)
}

/**
 * True for a quota of the application. Google names a quota `defaultPerMinutePerProject` or
 * `defaultPerMinutePerUser`.
 */
function isApplicationQuota(quotaLimit = ''): boolean {
  return /PerProject/i.test(quotaLimit)
}

/**
 * True for a rate limit of the application. Graph names the scope of a limit:
 * `Tenant_Application/ReadWrite/<application>/<tenant>`. An application of one tenant has the
 * limits of both scopes.
 */
function hasApplicationScope(headers: IncomingHttpHeaders): boolean {
  return /^(?:Tenant_)?Application(?:\/|$)/i.test(String(headers['x-ms-throttle-scope'] ?? ''))
}

interface ErrorFields {
  code?: string
  message?: string
  /** Name of the exceeded quota: `metadata.quota_limit` of Google. */
  quotaLimit?: string
}

/** Reads the members of an error response one by one, because nothing guarantees their types. */
function readFields(text: string): ErrorFields {
  const body = parseObject(text)
  const { error, error_description: description } = body
  // Error response of a token endpoint: RFC 6749 §5.2
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

/** Reason of an error of Google, which may have no `errors` (`google.rpc.ErrorInfo`). */
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
