import { defined } from '@posthorn/contracts/defined'
import { ProviderError } from '@posthorn/net/provider-error'
import { isMailApiError, MailApiError, type MailApiFailure } from '../mail-api/errors.ts'

/**
 * Error reasons that Gmail sends with status 403 when a limit is exceeded, in the form of
 * `reasonOf`. Other reasons with status 403, such as `forbidden`, are permanent failures.
 */
const limitReasons = new Set([
  'ratelimitexceeded',
  'userratelimitexceeded',
  'dailylimitexceeded',
  'quotaexceeded',
  'resourceexhausted',
])

/**
 * Failures that the HTTP status of a Gmail response determines, whatever error reason Gmail sends.
 */
const byStatus: Readonly<Record<number, MailApiFailure>> = {
  401: 'token-rejected',
  404: 'message-missing',
  408: 'unavailable',
  // Gmail reports a conflict for names of labels only.
  409: 'folder-exists',
  413: 'too-large',
  429: 'rate-limited',
}

/**
 * Converts an error response of Gmail to a failure, by status and error reason (guide "Resolve
 * errors" of the Gmail API). The text of the response is not used. A caller that knows more about
 * its request replaces the failure with `relabelled`.
 */
export function toGmailError(error: ProviderError): MailApiError {
  return gmailError(failureOf(error), error)
}

function failureOf(error: ProviderError): MailApiFailure {
  const { status } = error
  const reason = reasonOf(error)
  if (isGateway(error)) return 'unavailable'
  if (status === 403) return limitReasons.has(reason) ? 'rate-limited' : 'access-denied'
  // `failedPrecondition` means that the account has no Gmail mailbox. Gmail also sends this reason
  // for 1 % of the requests to healthy mailboxes (php-client issue 2558).
  if (status === 400 && reason === 'failedprecondition') return 'mailbox-disabled'
  const isServerError = status >= 500 || status < 400
  return byStatus[status] ?? (isServerError ? 'unavailable' : 'refused')
}

/**
 * Converts an error response of Gmail to a read request to a failure. Status 400 without the JSON
 * of Gmail counts as temporary: the response says nothing about the object that was read.
 */
export function toGmailReadError(error: ProviderError): MailApiError {
  const isUnnamed = error.status === 400 && error.code === undefined
  return isUnnamed ? gmailError('unavailable', error) : toGmailError(error)
}

/**
 * HTTP statuses of error responses that mean the same with and without an error in the JSON format
 * of Gmail.
 */
const plainStatuses: ReadonlySet<number> = new Set([400, 401, 413, 429])

/**
 * True for an error response without the JSON of Gmail. Such a response comes from a server in
 * front of Gmail and says nothing about the requested object.
 */
function isGateway({ status, code }: ProviderError): boolean {
  return code === undefined && status < 500 && !plainStatuses.has(status)
}

/**
 * Error reason of a Gmail response in lower case without underscores: `errors[].reason` has the
 * form `rateLimitExceeded`, `details[].reason` the form `RATE_LIMIT_EXCEEDED`.
 */
function reasonOf({ code = '' }: ProviderError): string {
  return code.toLowerCase().replaceAll('_', '')
}

const hourMs = 3_600_000

export interface Relabelling {
  /**
   * Failures that replace the failure of a Gmail request, by HTTP status. The failures of other
   * statuses are kept. A function gets the error reason of Gmail in the form of `reasonOf`.
   */
  [status: number]: MailApiFailure | ((reason: string) => MailApiFailure | undefined)
  /**
   * True if API clients get the HTTP status of Gmail's error response, false if they get an error
   * kind and code of this product.
   */
  passesStatus?: boolean
}

/**
 * Replaces the failure of a Gmail error response by the failure that its status means for one kind
 * of request.
 */
export function relabelled(error: unknown, failures: Relabelling): unknown {
  if (!isMailApiError(error) || !(error.cause instanceof ProviderError)) return error
  // A response from a server in front of Gmail says nothing about the Gmail request, so the
  // request's failure is kept.
  if (error.failure === 'unavailable') return error
  const chosen = failures[error.cause.status]
  const failure = typeof chosen === 'function' ? chosen(reasonOf(error.cause)) : chosen
  return gmailError(failure ?? error.failure, error.cause, failures.passesStatus)
}

function gmailError(
  failure: MailApiFailure,
  cause: ProviderError,
  passesStatus = true,
): MailApiError {
  const { message } = cause
  // If Gmail reports its daily limit without a retry time, the retry time is 1 h: requests before
  // that would fail, too.
  const isDaily = failure === 'rate-limited' && reasonOf(cause) === 'dailylimitexceeded'
  const retryAfterMs = cause.retryAfterMs ?? (isDaily ? hourMs : undefined)
  // This product's API has no status 409: an existing label name is reported with status 400.
  const status = failure === 'folder-exists' ? 400 : cause.status
  return new MailApiError(failure, message, {
    ...defined({ retryAfterMs }),
    status,
    // A temporary failure of Gmail is never passed on with a status 4xx, which would make the
    // failure permanent for API clients.
    passesStatus: passesStatus && !(failure === 'unavailable' && status < 500),
    cause,
  })
}

/**
 * Error for a request that this client rejects without sending it, in the form of a Gmail error
 * with status 400.
 */
export function refusal(text: string): MailApiError {
  return new MailApiError('refused', text, { status: 400, passesStatus: true })
}
