import { defined } from '@posthorn/contracts/defined'
import type { NetworkRouting } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import type { Submission } from '../store/submission.ts'
import { type AttemptFailure, classifyReply, type ReplyClass } from './classify-reply.ts'

/** Transport that sends the submissions of an account: SMTP, or a mail API. */
export interface Transport {
  /**
   * Sends a submission, unless an earlier attempt with an unknown outcome turns out to have sent
   * the message. Unexpected errors reject; the outcome is then unknown.
   *
   * @throws RecordError if the outbox lease was lost
   */
  send(submission: Submission, options: SendOptions): Promise<SendOutcome>
}

export interface SendOptions {
  /**
   * Signal that cancels the sending attempt. An abort is ignored once the server may have the
   * message.
   */
  signal: AbortSignal
  /**
   * Commits the intent record (`data_sent_at`), with the recipients that the server has accepted
   * (default: all). If `commitIntent` rejects, the end of the message data must not be sent.
   */
  commitIntent: (recipients?: readonly string[]) => Promise<void>
  /**
   * Called synchronously with the result of a sending attempt from the mail server's reply, if a
   * crash of this process would lose the reply. Not called if the mail server can be asked again
   * for the result.
   */
  onReply: (result: SendResult) => void
  /** Called when the mail server has accepted the message, and can take another message. */
  onAccepted: () => void
  log: Logger
}

export type SendOutcome = ({ kind: 'accepted' } & SendResult) | FailedSend

/** Acceptance of a message by the mail server or provider, for at least one recipient. */
export interface SendResult {
  response: string
  /** Message-ID assigned by the server, if the server's reply names a Message-ID. */
  serverMessageId?: string
  /** Names of the message's header fields that a mail API could not keep. */
  omittedHeaders?: string[]
  accepted: string[]
  rejected: RejectedRecipient[]
  /** Recipients that an earlier attempt had not handed over to the mail server. */
  untried?: string[]
  /** True if a copy of the message was found in the Sent mailbox. */
  hasSentCopy?: true
  /**
   * Network path of the accepted message. Absent for the default path: no proxy, address chosen by
   * the system.
   */
  routing?: NetworkRouting
}

/** Recipient that the mail server did not accept. */
export interface RejectedRecipient {
  recipient: string
  failure: AttemptFailure
}

/** Result of a sending attempt in which no recipient was accepted. */
export type FailedSend = FailureDetails & FailureKind

type FailureKind =
  /**
   * Permanent rejection of a message, which the mail server does not have. Another attempt to send
   * would also fail.
   */
  | { kind: 'rejected' }
  /**
   * Temporary failure: the sending attempt did not hand the message over to the server. Another
   * attempt may succeed.
   */
  | { kind: 'deferred' }
  /**
   * Unknown outcome of a sending attempt: the reply was lost or is not readable, so the mail server
   * may have taken the message. `permanent`: another attempt would also fail.
   */
  | { kind: 'unknown'; permanent?: true }

interface FailureDetails {
  failure: AttemptFailure
  /**
   * Network path of the failed sending attempt. Absent for the default path: no proxy, any address.
   */
  routing?: NetworkRouting
  suspends?: ReplyClass['suspends']
  /** Time for which the provider of a mail API asked to pause the account. */
  pauseMs?: number
  /**
   * True if the claim of the submission is released and the attempt not counted: the cause is
   * local, the provider permits no requests now, or neither the release of a draft nor the check of
   * the draft had a response.
   */
  uncounted?: true
  /** Error that caused the failed sending attempt, for the log. */
  cause?: Error
}

/**
 * Converts a failure into the result of a sending attempt. By default the SMTP reply decides about
 * its consequences.
 */
export function toFailedSend(
  failure: AttemptFailure,
  { permanent, suspends }: ReplyClass = classifyReply(failure),
): FailedSend {
  return defined({
    kind: permanent ? ('rejected' as const) : ('deferred' as const),
    failure,
    suspends,
  })
}

/**
 * Converts a failed sending attempt to a result with an unknown outcome: the mail server may have
 * the message.
 */
export function withUnknownOutcome(failed: FailedSend): FailedSend {
  return { ...failed, kind: 'unknown', ...(failed.kind === 'rejected' && { permanent: true }) }
}

/**
 * Error that carries the result of a failed sending attempt through the steps of a transport (SMTP
 * or a mail API).
 */
export class SendError extends Error {
  override name = 'SendError'
  readonly outcome: FailedSend

  constructor(outcome: FailedSend, options?: ErrorOptions) {
    super(outcome.failure.message, options)
    this.outcome = outcome
  }
}

/**
 * Failure of a sending attempt that the server, the network or the message caused. Reported as
 * messageDeliveryError.
 */
export class AttemptError extends SendError {
  override name = 'AttemptError'

  constructor(failure: AttemptFailure, options?: ErrorOptions) {
    super(toFailedSend(failure), options)
  }
}

/**
 * Failure that does not count as a sending attempt: credentials or Postgres are unavailable, the
 * process stops, a provider permits no requests now, or a draft could not be checked after its
 * release. With `pauseMs`, nothing is sent for the account before that time has passed.
 */
export class PreAttemptError extends SendError {
  override name = 'PreAttemptError'

  constructor(
    message: string,
    { pauseMs, ...options }: ErrorOptions & { pauseMs?: number | undefined } = {},
  ) {
    const deferred = { kind: 'deferred', uncounted: true, failure: { message } } as const
    super(defined({ ...deferred, pauseMs }), options)
  }
}

/**
 * Failure of a sending attempt whose signal was aborted before the handover (sending the end of
 * data).
 */
export function cancelled({ reason }: AbortSignal): PreAttemptError {
  return new PreAttemptError('attempt cancelled', { cause: reason })
}

/** Result of a sending attempt that threw an error. Rethrows errors that are no SendError. */
export function outcomeOf(error: unknown): FailedSend {
  if (error instanceof SendError) return { ...error.outcome, cause: error }
  throw error
}

/**
 * Failure to record the outcome of a sending attempt: the outbox lease was lost. The new holder of
 * the row records the outcome; this process must not write the row.
 */
export class RecordError extends AppError {
  override name = 'RecordError'

  constructor(message: string) {
    super('stale', message)
  }
}

/** Failure of a submission (message to send) whose process died in its last attempt. */
export function interrupted({ maybeSent }: { maybeSent: boolean }): AttemptFailure {
  return {
    message: maybeSent
      ? 'The last attempt was interrupted after the handover: the message may have been delivered'
      : 'The last attempt was interrupted before the handover',
    code: 'EINTERRUPTED',
  }
}

/**
 * Throws AttemptError for a submission that must not be sent: without content, or to a recipient
 * who has left the mailing list.
 */
export function assertSendable({ mime, leftList }: Pick<Submission, 'mime' | 'leftList'>): void {
  if (mime.length === 0)
    throw new AttemptError({ message: 'The message has no content', code: 'EMESSAGE' })
  if (leftList !== null)
    throw new AttemptError({
      message: `The recipient has left the list "${leftList}"`,
      code: 'ELISTLEFT',
    })
}

/**
 * Throws AttemptError if the sending attempt is beyond the maximum number of attempts. Such an
 * attempt only finds out whether the message was sent.
 */
export function assertAttemptsLeft(
  { attempt, maxAttempts }: Pick<Submission, 'attempt' | 'maxAttempts'>,
  maybeSent: boolean,
): void {
  if (attempt > maxAttempts) throw new AttemptError(interrupted({ maybeSent }))
}
