import { isMailApiError } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'

/**
 * Failure of the mail API as one of the account session. A token that is rejected although it was
 * renewed counts as refused credentials. A full mailbox is no rate limit that passes. Other errors
 * are returned as they are.
 */
export function toSessionError(error: unknown): unknown {
  if (!isMailApiError(error)) return error
  const { message, code, extras } = error
  const options = { extras, cause: error, ...(code !== undefined && { code }) }
  if (error.failure === 'token-rejected') return new AppError('unauthorized', message, options)
  if (error.failure === 'mailbox-full') return new AppError('rejected', message, options)
  return error
}
