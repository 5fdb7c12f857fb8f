import type { NetworkRouting } from '@posthorn/db'

/** Where in a session a failure happened, as `smtpCommand` names it. */
export type SmtpCommand =
  | 'CONN'
  | 'EHLO'
  | 'STARTTLS'
  | 'AUTH'
  | 'MAIL FROM'
  | 'RCPT TO'
  | 'DATA'
  | (string & {})

export interface AttemptFailure {
  message: string
  /** A short word for the kind: `EAUTH`, `ECONNREFUSED`, `EENVELOPE` … */
  code?: string
  /** The server's reply. */
  response?: string
  responseCode?: number
  command?: SmtpCommand
}

/** The message could not be delivered, and the world's part in it: becomes a messageDeliveryError. */
export class AttemptError extends Error {
  override name = 'AttemptError'
  readonly failure: AttemptFailure
  /** The way the attempt went, where it is not the ordinary one. */
  routing: NetworkRouting | undefined
  /** The final dot was written, and there was no answer to it: the server may have taken the message. */
  inDoubt = false

  constructor(failure: AttemptFailure, options?: ErrorOptions) {
    super(failure.message, options)
    this.failure = failure
  }
}

/**
 * The attempt ended before the message was handed over, for a reason of our own: no credentials to be had now, a marker that could
 * not be written, the process stopping. It counts for nothing.
 */
export class PreAttemptError extends Error {
  override name = 'PreAttemptError'
}
