import type { ErrorCode } from './generated/error-codes.ts'

/**
 * Input that the API rejected, with the path of the input in the request, such as `to.0.address`.
 */
export interface RejectedInput {
  key: string
  path: string
  message: string
}

/** Body of an error response of the API. */
export interface Problem {
  statusCode: number
  error: string
  message: string
  code?: ErrorCode | (string & {})
  fields?: RejectedInput[]
  state?: string
  ttl?: number
  existingAccount?: string
  requestedScope?: string
  requiredPermission?: { action: string; group: string }
  requiredRole?: string
  remoteAddress?: string
  info?: Record<string, unknown>
  details?: unknown
  attributes?: Record<string, unknown>
}

const retryableStatuses = new Set([429, 503, 504])
/**
 * Error codes of retryable HTTP statuses with which an API request fails again until something is
 * changed.
 */
const permanentCodes = new Set([
  'QuotaExceeded',
  'TooManyExports',
  'AuthenticationFails',
  'NotSyncing',
  'NoAvailable',
])

/** Error response of the API. */
export class PosthornError extends Error {
  override readonly name = 'PosthornError'
  /** Name of the API operation that failed. */
  readonly operation: string
  /** HTTP status of the error response. */
  readonly status: number
  /** Error code of the API. Absent for errors without a code. */
  readonly code: Problem['code']
  /** Inputs that the API rejected, if the request failed its validation. */
  readonly fields: readonly RejectedInput[]
  /** State of the account in an error response with status 503. */
  readonly state: string | undefined
  /** Seconds until the rate limit resets, in an error response with status 429. */
  readonly ttl: number | undefined
  /** Id of the failed API request in the log of the service. */
  readonly requestId: string | undefined
  /** True if the failed API request may succeed later without a change. */
  readonly isRetryable: boolean
  /** Milliseconds after which the API asks to repeat the failed request. */
  readonly retryAfterMs: number | undefined
  /** Body of the API's error response. */
  readonly problem: Problem

  constructor(operation: string, response: Response, problem: Problem) {
    super(problem.message)
    const { status, headers } = response
    const { code, fields = [], state, ttl } = problem
    this.operation = operation
    this.status = status
    this.code = code
    this.fields = fields
    this.state = state
    this.ttl = ttl
    this.requestId = headers.get('x-request-id') ?? undefined
    this.isRetryable = retryableStatuses.has(status) && !permanentCodes.has(code ?? '')
    this.retryAfterMs = waitOf(headers.get('retry-after') ?? ttl)
    this.problem = problem
  }
}

/**
 * Failure of an API call without a complete response: no connection, or a connection that was cut.
 */
export class PosthornConnectionError extends Error {
  override readonly name = 'PosthornConnectionError'
  readonly operation: string

  constructor(operation: string, cause: unknown) {
    super(`no complete response to ${operation}: ${reasonOf(cause)}`, { cause })
    this.operation = operation
  }
}

/**
 * Message of an error. The reason of an error of `fetch` in Node is in its `cause`. Errors may come
 * from another realm, in which `instanceof Error` is false.
 */
function reasonOf(error: unknown): string {
  const { cause, message = String(error) } = (error ?? {}) as Partial<Error>
  return cause === undefined || cause === null ? message : reasonOf(cause)
}

/** Reads the body of an API error response. A proxy before the API may send another body. */
export async function readError(operation: string, response: Response): Promise<PosthornError> {
  const text = await response.text()
  const { status, statusText } = response
  const problem = parseProblem(text)
  const error = statusText || `Status ${status}`
  const message = problem.message ?? (text.slice(0, 200) || error)
  return new PosthornError(operation, response, { statusCode: status, error, ...problem, message })
}

/**
 * Parses the problem in the body of an error response. Leaves out the members `message` and
 * `fields` if another program than the API uses these names for values of other types.
 */
function parseProblem(text: string): Partial<Problem> {
  try {
    const { message, fields, ...problem } = JSON.parse(text) as Partial<Problem>
    return {
      ...problem,
      ...(typeof message === 'string' && { message }),
      ...(Array.isArray(fields) && { fields }),
    }
  } catch {
    return {}
  }
}

/**
 * Converts the header `Retry-After`, seconds or an HTTP date, to a waiting time in milliseconds.
 */
function waitOf(value: string | number | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  const seconds = Number(value)
  const waitMs = Number.isNaN(seconds) ? Date.parse(String(value)) - Date.now() : seconds * 1000
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}
