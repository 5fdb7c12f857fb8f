import type { IncomingHttpHeaders } from 'node:http'
import { defined } from '@posthorn/contracts/defined'
import { readRetryAfter, readRetryAfterText } from './retry-after.ts'

interface ProviderErrorFields {
  status: number
  code?: string | undefined
  retryAfterMs?: number | undefined
  location?: string | undefined
}

/**
 * Error response of a provider. Message and code are the provider's, with tokens replaced and at
 * most `maxTextLength` characters; an absent code means that the body was not the provider's JSON.
 */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly status: number
  /** `errors[0].reason` of Gmail, `error.code` of Graph, `error` of a token endpoint. */
  readonly code: string | undefined
  /** Delay that the provider requested; absent without a usable delay. */
  readonly retryAfterMs: number | undefined
  readonly #location: string | undefined

  constructor(message: string, { status, code, retryAfterMs, location }: ProviderErrorFields) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.#location = location
  }

  /** Header `Location` as sent, not part of logs. Requests check its origin. */
  get location(): string | undefined {
    return this.#location
  }
}

export interface ErrorResponse {
  status: number
  headers: IncomingHttpHeaders
  /** Body or its beginning: JSON, HTML, empty or truncated. */
  text: string
}

interface ErrorReadOptions {
  /** Upper bound of the requested delay. */
  maxRetryAfterMs: number
  /** Token of the request, removed from the texts in case the server returned it. */
  token?: string | undefined
}

const maxTextLength = 1_000

/** Reads an error response of Gmail, Pub/Sub, Graph or a token endpoint. Never throws. */
export function readProviderError(
  { status, headers, text }: ErrorResponse,
  { maxRetryAfterMs, token }: ErrorReadOptions,
): ProviderError {
  const { code, message } = readFields(text)
  const clean = (value: string) => cleanText(value, token)
  return new ProviderError(
    message === undefined ? `The provider responded with status ${status}` : clean(message),
    {
      status,
      code: code === undefined ? undefined : clean(code),
      location: headers.location,
      retryAfterMs:
        readRetryAfter(headers, { maxMs: maxRetryAfterMs }) ??
        readRetryAfterText(message ?? text, headers, maxRetryAfterMs),
    },
  )
}

/**
 * Removes tokens: the token of the request, and any text after the scheme `Bearer` that may be a
 * token.
 */
function cleanText(text: string, token: string | undefined): string {
  const forms = token ? [token, encodeURIComponent(token)] : []
  const redacted = forms.reduce((cleaned, form) => cleaned.replaceAll(form, '***'), text)
  return redacted.replace(/\bBearer\s+[\w.~+/=-]{8,}/gi, 'Bearer ***').slice(0, maxTextLength)
}

interface ErrorFields {
  code?: string
  message?: string
}

/** Reads the members of an error one by one, because nothing guarantees their types. */
function readFields(text: string): ErrorFields {
  const body = parseObject(text)
  const { error, error_description: description } = body
  // RFC 6749 §5.2
  if (typeof error === 'string') return defined({ code: error, message: textOf(description) })
  if (!isObject(error)) return {}
  const [first] = Array.isArray(error['errors']) ? (error['errors'] as unknown[]) : []
  const reason = isObject(first) ? textOf(first['reason']) : undefined
  return defined({
    code: reason ?? textOf(error['status']) ?? textOf(error['code']),
    message: textOf(error['message']),
  })
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
