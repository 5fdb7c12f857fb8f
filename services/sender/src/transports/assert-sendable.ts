import type { Submission } from '../store/submission.ts'
import type { AttemptFailure } from './classify-reply.ts'
import { AttemptError } from './transport.ts'

/** Failure of a submission whose process died in its last attempt. */
export function interrupted({ maybeSent }: { maybeSent: boolean }): AttemptFailure {
  return {
    message: maybeSent
      ? 'The last attempt was interrupted after the handover: the message may have been delivered'
      : 'The last attempt was interrupted before the handover',
    code: 'EINTERRUPTED',
  }
}

/** Throws AttemptError for a message that must not be sent. */
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
 * Throws AttemptError in an attempt beyond the last regular attempt, which only finds out whether
 * the message was sent.
 */
export function assertAttemptsLeft(
  { attempt, maxAttempts }: Pick<Submission, 'attempt' | 'maxAttempts'>,
  maybeSent: boolean,
): void {
  if (attempt > maxAttempts) throw new AttemptError(interrupted({ maybeSent }))
}
