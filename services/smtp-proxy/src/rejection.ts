import { AppError } from '@posthorn/errors'
import type { SMTPServerError } from 'smtp-server'

/** Negative SMTP reply. The client may retry after a 4xx code (RFC 5321 §4.2.1). */
export class SmtpRejection extends Error implements SMTPServerError {
  override name = 'SmtpRejection'
  readonly responseCode: number

  /** `status`: reply code and enhanced status code (RFC 3463), such as `535 5.7.8`. */
  constructor(status: `${number} ${string}`, text: string, options?: ErrorOptions) {
    const [code, enhancedCode = ''] = status.split(' ')
    super(`${enhancedCode} ${text}`, options)
    this.responseCode = Number(code)
  }
}

/** Maps an error to the reply for the client. Internal details stay in the cause. */
export function toRejection(error: unknown): SmtpRejection {
  if (error instanceof SmtpRejection) return error
  if (error instanceof AppError && error.kind === 'not-found')
    return new SmtpRejection('550 5.7.1', error.message)
  if (error instanceof AppError && error.kind === 'unavailable' && error.extras.state !== undefined)
    return new SmtpRejection('451 4.3.0', `${error.message}, try again later`)
  return new SmtpRejection('451 4.3.0', 'Temporary failure, try again later', { cause: error })
}
