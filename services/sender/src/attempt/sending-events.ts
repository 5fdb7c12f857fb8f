import { defined, messageDeliveryError, messageFailed, messageSent } from '@posthorn/contracts'
import { deriveEventId, type NetworkRouting, type NewEvent } from '@posthorn/db'
import type { Submission } from '../store/submission.ts'
import type { AttemptFailure, SendResult } from '../transports/transport.ts'

/** Properties of a submission that its events report. */
export type EventContext = Pick<
  Submission,
  'queueId' | 'account' | 'messageId' | 'envelope' | 'attempt' | 'maxAttempts' | 'firstError'
>

/** Event of an accepted message. `partly`: some recipients will be tried again. */
export function sentEvent(
  { queueId, account, messageId, envelope, attempt }: EventContext,
  { response, serverMessageId = messageId, accepted, routing }: Omit<SendResult, 'rejected'>,
  { partly }: { partly: boolean },
): NewEvent {
  const attemptKey = partly ? attemptKeyOf({ attempt, envelope }) : []
  return {
    eventId: deriveEventId(['messageSent', queueId, ...attemptKey]),
    event: messageSent.name,
    account,
    data: defined({
      messageId: serverMessageId,
      originalMessageId: serverMessageId === messageId ? undefined : messageId,
      response,
      queueId,
      envelope: { from: envelope.from, to: accepted },
      networkRouting: routing,
    }),
  }
}

/** Event of a failed attempt, for all recipients of the attempt unless some are named. */
export function deliveryErrorEvent(
  { queueId, account, messageId, envelope, attempt, maxAttempts }: EventContext,
  { message, code, response, responseCode, command }: AttemptFailure,
  {
    nextAttempt,
    routing,
    recipients = envelope.to,
  }: {
    nextAttempt: Date | undefined
    routing?: NetworkRouting | undefined
    recipients?: string[]
  },
): NewEvent {
  const attemptKey = attemptKeyOf({ attempt, envelope })
  return {
    eventId: deriveEventId(['messageDeliveryError', queueId, ...attemptKey]),
    event: messageDeliveryError.name,
    account,
    data: defined({
      queueId,
      envelope: { from: envelope.from, to: recipients },
      messageId,
      error: message,
      errorCode: code,
      smtpResponse: response,
      smtpResponseCode: responseCode,
      smtpCommand: command,
      networkRouting: routing,
      job: {
        id: queueId,
        attemptsMade: attempt,
        attempts: maxAttempts,
        nextAttempt: nextAttempt?.toISOString() ?? false,
      },
    }),
  }
}

/** Event of a submission that failed permanently. */
export function failedEvent(
  { queueId, account, messageId, firstError }: EventContext,
  { message }: AttemptFailure,
  routing?: NetworkRouting,
): NewEvent {
  return {
    eventId: deriveEventId(['messageFailed', queueId]),
    event: messageFailed.name,
    account,
    data: defined({
      messageId,
      queueId,
      error: (firstError ?? message).split(/\r?\n/, 1)[0] ?? '',
      networkRouting: routing,
    }),
  }
}

/** Distinguishes attempts in event ids. Uncounted attempts differ by their remaining recipients. */
function attemptKeyOf({ attempt, envelope }: Pick<EventContext, 'attempt' | 'envelope'>): number[] {
  return [attempt, envelope.to.length]
}
