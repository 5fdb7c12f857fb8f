import { defined } from '@posthorn/contracts/defined'
import { ProviderError } from '@posthorn/net/provider-error'
import { isMailApiError, MailApiError, type MailApiFailure } from '../mail-api/errors.ts'

/**
 * Error reasons of Gmail with status 403 that are limits, in the form of `reasonOf`. Other reasons
 * with 403 are permanent, such as `forbidden`.
 */
const limitReasons = new Set([
  'ratelimitexceeded',
  'userratelimitexceeded',
  'dailylimitexceeded',
  'quotaexceeded',
  'resourceexhausted',
])

/** Failures of Gmail requests by HTTP status, where the error reason does not matter. */
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
 * Failure that an error response of Gmail means, by its status and reason (guide "Resolve errors"
 * of the Gmail API). Texts of responses do not decide. Callers that know more about a request use
 * `relabelled`.
 */
export function toGmailError(error: ProviderError): MailApiError {
  return gmailError(failureOf(error), error)
}

function failureOf(error: ProviderError): MailApiFailure {
  const { status } = error
  const reason = reasonOf(error)
  if (isGateway(error)) return 'unavailable'
  if (status === 403) return limitReasons.has(reason) ? 'rate-limited' : 'access-denied'
  // The account has no Gmail mailbox. Also seen for 1 % of the requests to healthy mailboxes
  // (php-client issue 2558).
  if (status === 400 && reason === 'failedprecondition') return 'mailbox-disabled'
  const isServerError = status >= 500 || status < 400
  return byStatus[status] ?? (isServerError ? 'unavailable' : 'refused')
}

/**
 * Failure that an error response of Gmail to a read means. A 400 without the JSON of Gmail refuses
 * a message that is sent, but tells nothing about an object that is read.
 */
export function toGmailReadError(error: ProviderError): MailApiError {
  const isUnnamed = error.status === 400 && error.code === undefined
  return isUnnamed ? gmailError('unavailable', error) : toGmailError(error)
}

/** Statuses that mean the same with and without the JSON of Gmail. */
const plainStatuses: ReadonlySet<number> = new Set([400, 401, 413, 429])

/**
 * True for a refusal without the JSON of Gmail: it is from a server in front of Gmail, and tells
 * nothing about the requested object.
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
   * Failure of a Gmail request by HTTP status. Failures with other statuses stay. A function gets
   * the error reason in the form of `reasonOf`.
   */
  [status: number]: MailApiFailure | ((reason: string) => MailApiFailure | undefined)
  /**
   * False: API clients get the kind and code of the failure instead of the HTTP status of Gmail.
   */
  passesStatus?: boolean
}

/** Replaces the failure of an error response by what it means for a certain request. */
export function relabelled(error: unknown, failures: Relabelling): unknown {
  if (!isMailApiError(error) || !(error.cause instanceof ProviderError)) return error
  // A response of a server in front of Gmail has no meaning for the request.
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
  // A daily limit of Gmail without a retry time gets 1 h: earlier requests would fail, too.
  const isDaily = failure === 'rate-limited' && reasonOf(cause) === 'dailylimitexceeded'
  const retryAfterMs = cause.retryAfterMs ?? (isDaily ? hourMs : undefined)
  // The API of this product has no 409: a label name that exists is an invalid request.
  const status = failure === 'folder-exists' ? 400 : cause.status
  return new MailApiError(failure, message, {
    ...defined({ retryAfterMs }),
    status,
    // A status 4xx for API clients would make a temporary failure of Gmail permanent.
    passesStatus: passesStatus && !(failure === 'unavailable' && status < 500),
    cause,
  })
}

/** Refusal of a request by this client, in the form of a refusal by Gmail. */
export function refusal(text: string): MailApiError {
  return new MailApiError('refused', text, { status: 400, passesStatus: true })
}
