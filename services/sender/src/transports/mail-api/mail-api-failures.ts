import { isMailApiError, type MailApiError, type MailApiFailure } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { AttemptFailure, ReplyClass } from '../classify-reply.ts'
import {
  type FailedSend,
  PreAttemptError,
  RecordError,
  SendError,
  toFailedSend,
  withUnknownOutcome,
} from '../transport.ts'

const message = { permanent: true } as const
const account = { permanent: false, suspends: 'account' } as const

/**
 * Error codes and consequences of failed calls of a mail API. Failures of the account are retried,
 * because the owner or an operator can repair them. Failures that are not listed are temporary and
 * concern only the message.
 */
const classes: Partial<Record<MailApiFailure, ReplyClass & { code: string }>> = {
  'invalid-recipients': { code: 'InvalidRecipients', ...message },
  'too-large': { code: 'MessageTooLarge', ...message },
  'send-denied': { code: 'SendAsDenied', ...message },
  'unsupported-operation': { code: 'UnsupportedOperation', ...message },
  refused: { code: 'EREFUSED', ...message },
  'access-denied': { code: 'AccessDenied', ...account },
  'send-blocked': { code: 'MessageSubmissionBlocked', ...account },
  'mailbox-disabled': { code: 'MailboxNotEnabled', ...account },
  'mailbox-full': { code: 'QuotaExceeded', ...account },
  'token-rejected': { code: 'OAuthTokenRejected', ...account },
  unlicensed: { code: 'OAuthTokenRejected', ...account },
  unavailable: { code: 'ConnectionError', ...account },
}
const unlisted = { code: 'EMAILAPI', permanent: false } as const

/**
 * True if a failed call of a mail API may have taken effect: the response is missing, or the
 * provider itself failed. A refused call has no effect.
 */
export function mayHaveEffect(error: unknown): boolean {
  if (isMailApiError(error)) return error.failure === 'unavailable'
  return !(error instanceof SendError || error instanceof RecordError || isRateLimit(error))
}

/**
 * Converts the error of a failed call of a mail API to a SendError. Rate limits use up no attempts,
 * and neither do outages whose end the provider names. Unexpected errors are returned unchanged.
 */
export function toSendError(cause: unknown): unknown {
  if (isMailApiError(cause)) {
    const { failure, retryAfterMs: pauseMs } = cause
    if (failure === 'rate-limited' || (failure === 'unavailable' && pauseMs))
      return new PreAttemptError(`paused by the provider: ${failure}`, { cause, pauseMs })
  } else if (isRateLimit(cause)) {
    const { ttl } = cause.extras
    const pauseMs = ttl === undefined ? undefined : ttl * 1_000
    return new PreAttemptError('limit of the provider reached', { cause, pauseMs })
  }
  const failed = failedSendOf(cause)
  return failed ? new SendError(failed, { cause }) : cause
}

/**
 * Converts a SendError to the outcome "unknown", after a call of a mail API that may have sent the
 * message.
 */
export function withUnknown(error: unknown): unknown {
  if (!(error instanceof SendError)) return error
  return new SendError(withUnknownOutcome(error.outcome), { cause: error.cause })
}

/**
 * Converts the error of a call of a mail API that may have sent the message without a draft. Unlike
 * in `toSendError`, an outage whose end the provider names counts as an attempt. The account is
 * paused until the outage ends.
 */
export function toCountedUnknown(cause: unknown): unknown {
  const failed = failedSendOf(cause)
  if (!failed) return cause
  const pauseMs = isMailApiError(cause) ? cause.retryAfterMs : undefined
  return new SendError(withUnknownOutcome(defined({ ...failed, pauseMs })), { cause })
}

/**
 * Result of a sending attempt after a failure of the mail provider or after a timeout. Undefined
 * for other errors.
 */
function failedSendOf(error: unknown): FailedSend | undefined {
  if (isMailApiError(error)) {
    const { code, ...replyClass } = classes[error.failure] ?? unlisted
    return toFailedSend(describe(error, code), replyClass)
  }
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
  if (!isTimeout) return undefined
  const message = 'The provider did not respond in time'
  return toFailedSend({ message, code: 'ETIMEDOUT' }, account)
}

/**
 * Failure with the mail provider's own error text. The error of the API client may have a general
 * text instead, as for Gmail.
 */
function describe({ message, extras }: MailApiError, code: string): AttemptFailure {
  const { response } = extras.info ?? {}
  return { message: typeof response === 'string' ? response : message, code }
}

function isRateLimit(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === 'rate-limited'
}
