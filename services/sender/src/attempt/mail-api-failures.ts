import { isMailApiError, type MailApiError, type MailApiFailure } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'
import {
  AttemptError,
  type AttemptFailure,
  PausedError,
  PreAttemptError,
  RecordError,
  type ReplyClass,
} from '../transports/transport.ts'

const message = { permanent: true } as const
const account = { permanent: false, suspends: 'account' } as const

/**
 * Code of a failed call of a mail API, and its consequences. Failures of the account are retried,
 * because the owner or an operator can repair these failures. Failures that are not listed are
 * temporary and concern only the message.
 */
const classes: Partial<Record<MailApiFailure, ReplyClass & { code: string }>> = {
  'invalid-recipients': { code: 'InvalidRecipients', ...message },
  'too-large': { code: 'MessageTooLarge', ...message },
  'send-denied': { code: 'SendAsDenied', ...message },
  'unsupported-operation': { code: 'UnsupportedOperation', ...message },
  refused: { code: 'EREFUSED', ...message },
  'access-denied': { code: 'AccessDenied', ...account },
  'mailbox-disabled': { code: 'MailboxNotEnabled', ...account },
  'mailbox-full': { code: 'QuotaExceeded', ...account },
  'token-rejected': { code: 'OAuthTokenRejected', ...account },
  unlicensed: { code: 'OAuthTokenRejected', ...account },
  unavailable: { code: 'ConnectionError', ...account },
}
const unlisted = { code: 'EMAILAPI', permanent: false } as const

/**
 * True if the call may have taken effect: without a response, or after a failure of the provider
 * itself. A refusal has no effect.
 */
export function isInDoubt(error: unknown): boolean {
  if (isMailApiError(error)) return error.failure === 'unavailable'
  return !isStageError(error) && !isRateLimit(error)
}

/**
 * Stage error of a failed call: `PausedError` for limits and for outages whose end the provider
 * names. Such limits and outages use up no attempts. Unexpected errors are returned unchanged.
 */
export function toStageError(error: unknown): unknown {
  if (isMailApiError(error)) return fromMailApi(error)
  if (isRateLimit(error)) {
    const { ttl } = error.extras
    const options = { cause: error, pauseMs: ttl === undefined ? undefined : ttl * 1_000 }
    return new PausedError('limit of the provider reached', options)
  }
  if (isTimeout(error))
    return failureOf(
      { message: 'The provider did not respond in time', code: 'ETIMEDOUT' },
      account,
    )
  return error
}

/**
 * Stage error of a call that may have sent the message. Unlike `toStageError`, an outage whose end
 * the provider names counts as an attempt, and pauses the account until the end of the outage.
 */
export function toDoubtfulError(error: unknown): unknown {
  const failed = isMailApiError(error) ? failureOfApi(error) : toStageError(error)
  if (failed instanceof AttemptError) {
    failed.inDoubt = true
    failed.pauseMs = isMailApiError(error) ? error.retryAfterMs : undefined
  }
  return failed
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

function failureOf(failure: AttemptFailure, replyClass: ReplyClass, cause?: unknown): AttemptError {
  const failed = new AttemptError(failure, { cause })
  failed.replyClass = replyClass
  return failed
}

function fromMailApi(error: MailApiError): Error {
  const { failure, retryAfterMs: pauseMs } = error
  const isPaused = failure === 'rate-limited' || (failure === 'unavailable' && pauseMs)
  if (isPaused)
    return new PausedError(`paused by the provider: ${failure}`, { cause: error, pauseMs })
  return failureOfApi(error)
}

function failureOfApi(error: MailApiError): AttemptError {
  const { code, ...replyClass } = classes[error.failure] ?? unlisted
  return failureOf(describe(error, code), replyClass, error)
}

/** The provider's own text, which API clients of Gmail do not get. */
function describe({ message, extras }: MailApiError, code: string): AttemptFailure {
  const { response } = extras.info ?? {}
  return { message: typeof response === 'string' ? response : message, code }
}

function isStageError(error: unknown): boolean {
  return [AttemptError, PreAttemptError, RecordError].some((type) => error instanceof type)
}

function isRateLimit(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === 'rate-limited'
}
