import { isMailApiError, type MailApiError } from '@posthorn/backends/mail-api'
import { HttpError } from '@posthorn/net/call'
import { AppError } from '@posthorn/errors'

/**
 * Converts a failure of the mail API to an error of the account session. An access token that is
 * rejected although it was just renewed counts as refused credentials. A full mailbox does not
 * count as a temporary rate limit. A failure of the network keeps its error code, as for mail
 * servers. Returns other errors unchanged.
 */
export function toSessionError(error: unknown): unknown {
  if (!isMailApiError(error)) return error
  const { message, code, extras } = error
  const options = { extras, cause: error, ...(code !== undefined && { code }) }
  if (error.failure === 'token-rejected') return new AppError('unauthorized', message, options)
  if (error.failure === 'mailbox-full') return new AppError('rejected', message, options)
  const network = networkCodeOf(error)
  return network === undefined
    ? error
    : new AppError('unreachable', message, { ...options, code: network })
}

/** Error code of the failed network connection, such as `ENOTFOUND`; undefined without one. */
function networkCodeOf({ failure, cause }: MailApiError): string | undefined {
  const reason = failure === 'unavailable' && cause instanceof Error ? cause.cause : undefined
  return reason instanceof HttpError ? reason.code : undefined
}
