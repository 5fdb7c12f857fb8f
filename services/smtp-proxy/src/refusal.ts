import type { SMTPServerError } from 'smtp-server'

/** An answer that is a no. 4xx: the client may come again (RFC 5321 §4.2.1). */
export class Refusal extends Error implements SMTPServerError {
  override name = 'Refusal'
  readonly responseCode: number

  constructor(responseCode: number, text: string, options?: ErrorOptions) {
    super(text, options)
    this.responseCode = responseCode
  }
}

/** What went wrong, as the client is told; what it must not know is in the cause. */
export function toRefusal(error: unknown): Refusal {
  return error instanceof Refusal
    ? error
    : new Refusal(451, 'Temporary failure, try again later', { cause: error })
}
