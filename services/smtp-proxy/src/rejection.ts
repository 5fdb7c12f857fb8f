import { AppError, isApplicationError } from '@posthorn/errors'
import type { SMTPServerError } from 'smtp-server'

/**
 * Negative SMTP reply to a mail client. The client may retry after a 4xx code (RFC 5321 §4.2.1).
 */
export class SmtpRejection extends Error implements SMTPServerError {
  override name = 'SmtpRejection'
  readonly responseCode: number

  /** `status`: SMTP reply code and enhanced status code (RFC 3463), such as `535 5.7.8`. */
  constructor(status: `${number} ${string}`, text: string, options?: ErrorOptions) {
    const [code, enhancedCode = ''] = status.split(' ')
    super(`${enhancedCode} ${text}`, options)
    this.responseCode = Number(code)
  }
}

const applicationUnusable = 'The OAuth2 application of the account cannot be used'

/** Maps an error to the SMTP reply for the mail client. Internal details stay in the cause. */
export function toRejection(error: unknown): SmtpRejection {
  if (error instanceof SmtpRejection) return error
  if (error instanceof AppError && error.kind === 'not-found')
    return new SmtpRejection('550 5.7.1', error.message)
  // Reply to a message whose SMTP envelope differs from its header. A mail API takes the recipients
  // from the header.
  if (error instanceof AppError && error.code === 'UnsupportedOperation')
    return new SmtpRejection('554 5.6.0', error.message)
  if (error instanceof AppError && error.kind === 'unavailable' && error.extras.state !== undefined)
    return new SmtpRejection('451 4.3.0', `${error.message}, try again later`)
  // Replies with a temporary SMTP code, so that the client repeats the message until an operator
  // has repaired the OAuth2 application of the account.
  if (error instanceof AppError && isApplicationError(error.code))
    return new SmtpRejection('451 4.3.5', applicationUnusable, { cause: error })
  return new SmtpRejection('451 4.3.0', 'Temporary failure, try again later', { cause: error })
}
