import { isMailApiError } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'

/**
 * Converts a failure of the mail API to an error of the account session. A token that is rejected
 * although it was renewed counts as refused credentials. A full mailbox is not a temporary rate
 * limit. Other errors are returned unchanged.
 */
export function toSessionError(error: unknown): unknown {
  if (!isMailApiError(error)) return error
  const { message, code, extras } = error
  const options = { extras, cause: error, ...(code !== undefined && { code }) }
  if (error.failure === 'token-rejected') return new AppError('unauthorized', message, options)
  if (error.failure === 'mailbox-full') return new AppError('rejected', message, options)
  return error
}
