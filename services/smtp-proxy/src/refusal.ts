import { AppError } from '@posthorn/errors'
import type { SMTPServerError } from 'smtp-server'

/** An answer that is a no. 4xx: the client may come again (RFC 5321 §4.2.1). */
export class Refusal extends Error implements SMTPServerError {
  override name = 'Refusal'
  readonly responseCode: number

  /** `status`: the reply code and the enhanced one (RFC 3463), as `535 5.7.8`. */
  constructor(status: `${number} ${string}`, text: string, options?: ErrorOptions) {
    const [code, enhancedCode = ''] = status.split(' ')
    super(`${enhancedCode} ${text}`, options)
    this.responseCode = Number(code)
  }
}

/** What went wrong, as the client is told; what it must not know is in the cause. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof AppError && error.kind === 'not-found')
    return new Refusal('550 5.7.1', error.message)
  if (error instanceof AppError && error.kind === 'unavailable' && error.extras.state !== undefined)
    return new Refusal('451 4.3.0', `${error.message}, try again later`)
  return new Refusal('451 4.3.0', 'Temporary failure, try again later', { cause: error })
}
