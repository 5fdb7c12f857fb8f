import type { ProviderResponse } from '../requests.ts'

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

/** Error response in the format of Gmail. */
export function gmailError(
  status: number,
  reason: string,
  message: string,
): ProviderResponse & { headers: Record<string, string> } {
  const isPrecondition = reason === 'failedPrecondition'
  const errors = [{ message, domain: 'global', reason }]
  const name = isPrecondition ? 'FAILED_PRECONDITION' : statusNames[status]
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: { error: { code: status, message, errors, ...(name && { status: name }) } },
  }
}

/** Error with which a handler of the Gmail fake refuses a request. */
export class GmailFailure extends Error {
  readonly response: ProviderResponse

  constructor(status: number, reason: string, message: string) {
    super(message)
    this.response = gmailError(status, reason, message)
  }
}

export function notFound(): GmailFailure {
  return new GmailFailure(404, 'notFound', 'Requested entity was not found.')
}

export function invalid(message: string): GmailFailure {
  return new GmailFailure(400, 'invalidArgument', message)
}

/** Error responses of Gmail to valid requests, for `fake.on`. */
export const gmailFailures = {
  /**
   * The error text of Gmail has two blanks and the response has no header `Retry-After`, as
   * observed at Gmail.
   */
  rateLimitedUntil: (time: Date) =>
    gmailError(
      403,
      'rateLimitExceeded',
      `User-rate limit exceeded.  Retry after ${time.toISOString()}`,
    ),
  tooManyRequests: (retryAfter?: string): ProviderResponse => {
    const text = 'Resource has been exhausted (e.g. check quota).'
    const { headers, ...response } = gmailError(429, 'rateLimitExceeded', text)
    const delay = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    return { ...response, headers: { ...headers, ...delay } }
  },
  /**
   * Response of Gmail for a limit on all users of the Google project, in the format without
   * `errors`.
   */
  projectLimit: (retryAfter: string): ProviderResponse => {
    const message = "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'"
    const metadata = { service: 'gmail.googleapis.com', quota_limit: 'defaultPerMinutePerProject' }
    const details = [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'RATE_LIMIT_EXCEEDED',
        metadata,
      },
    ]
    return {
      status: 429,
      headers: { 'content-type': 'application/json; charset=UTF-8', 'retry-after': retryAfter },
      body: { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details } },
    }
  },
  tooManyConcurrent: () =>
    gmailError(429, 'rateLimitExceeded', 'Too many concurrent requests for user'),
  dailyLimit: () => gmailError(403, 'dailyLimitExceeded', 'Daily Limit Exceeded'),
  unauthorized: () => gmailError(401, 'authError', 'Invalid Credentials'),
  insufficientScope: () =>
    gmailError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.'),
  delegationDenied: (address: string) =>
    gmailError(403, 'forbidden', `Delegation denied for ${address}`),
  mailServiceDisabled: () => gmailError(400, 'failedPrecondition', 'Mail service not enabled'),
  unavailable: () => gmailError(503, 'backendError', 'The service is currently unavailable.'),
  badGateway: (): ProviderResponse => ({
    status: 502,
    headers: { 'content-type': 'text/html; charset=UTF-8' },
    body: '<html><title>502 Server Error</title><h2>Please try again in 30 seconds.</h2></html>',
  }),
} as const
