import { defined } from '@posthorn/contracts/defined'
import {
  messageDeliveryError,
  messageFailed,
  messageSent,
} from '@posthorn/contracts/events/sending'
import { deriveEventId, type NetworkRouting, type NewEvent } from '@posthorn/db'
import { backoff } from '@posthorn/flow'
import type { Submission } from '../store/submission.ts'
import type { AttemptOutcome } from '../store/submission-states.ts'
import { type AttemptFailure, classifyReply } from '../transports/classify-reply.ts'
import type { FailedSend, SendResult } from '../transports/transport.ts'

/** Properties of a submission that its events report. */
export type EventContext = Pick<
  Submission,
  'queueId' | 'account' | 'messageId' | 'envelope' | 'attempt' | 'maxAttempts' | 'firstError'
>

/**
 * Outcome of a sending attempt, and the events of the outcome once the time of the next attempt is
 * known.
 */
export interface OutcomeDecision {
  outcome: AttemptOutcome
  events: (nextAttempt: Date | undefined) => NewEvent[]
}

/** Decides between retry and rejection after a failed attempt to send a submission. */
export function decideFailure(
  context: EventContext,
  failed: FailedSend,
  retryBaseMs: number,
): OutcomeDecision {
  const { failure, routing } = failed
  const outcomeUnknown = failed.kind === 'unknown'
  const permanent = failed.kind === 'unknown' ? failed.permanent : failed.kind === 'rejected'
  const isLast = permanent === true || context.attempt >= context.maxAttempts
  const delayMs = retryDelayMs(context.attempt, retryBaseMs)
  return {
    outcome: isLast
      ? { trigger: 'reject', failure, routing, outcomeUnknown }
      : { trigger: 'retry', failure, routing, outcomeUnknown, delayMs },
    events: (nextAttempt) => [
      deliveryErrorEvent(context, failure, { nextAttempt, routing }),
      ...(isLast ? [failedEvent(context, failure, routing)] : []),
    ],
  }
}

/**
 * Decides the outcome of a sending attempt after the server accepted the message for some or all
 * recipients. Recipients with a temporary rejection are tried again alone, untried recipients
 * immediately. All rejected recipients are reported in one messageDeliveryError.
 */
export function decideAccepted(
  context: EventContext,
  result: SendResult,
  retryBaseMs: number,
): OutcomeDecision {
  const deferred = result.rejected.filter(({ failure }) => !classifyReply(failure).permanent)
  const { untried = [] } = result
  const isTooMany = deferred.some(({ failure }) => isTooManyRecipients(failure))
  if (untried.length > 0 || (result.accepted.length > 0 && isTooMany))
    return decideContinue(context, result, [...untried, ...recipientsOf(deferred)])
  const failure = (deferred[0] ?? result.rejected[0])?.failure
  const remaining = context.attempt < context.maxAttempts ? recipientsOf(deferred) : []
  const partly = remaining.length > 0
  const { response, routing, serverMessageId, rejected } = result
  const delayMs = retryDelayMs(context.attempt, retryBaseMs)
  return {
    outcome:
      partly && failure
        ? { trigger: 'acceptPart', response, remaining, failure, routing, delayMs }
        : { trigger: 'accept', response, routing, serverMessageId },
    events: (nextAttempt) => {
      const sent = sentEvent(context, result, { partly })
      if (!failure) return [sent]
      const recipients = recipientsOf(rejected)
      return [sent, deliveryErrorEvent(context, failure, { nextAttempt, routing, recipients })]
    },
  }
}

/**
 * True if the failure says that the server limits the recipients per transaction (RFC 5321
 * §4.5.3.1.10). Reply 452 may also report a full disk, with another enhanced code than 4.5.3 (RFC
 * 3463 §3.6).
 */
function isTooManyRecipients({ response = '', command }: AttemptFailure): boolean {
  return command === 'RCPT TO' && /^452[ -](?:4\.5\.3\b|(?!4\.\d)|.*too many rec)/i.test(response)
}

/**
 * Decides to send the message to the remaining recipients immediately, without counting an attempt.
 * Terminates, because every transaction has fewer recipients.
 */
function decideContinue(
  context: EventContext,
  result: SendResult,
  remaining: string[],
): OutcomeDecision {
  const { response, routing } = result
  const rejected = result.rejected.filter(({ recipient }) => !remaining.includes(recipient))
  const [first] = rejected
  return {
    outcome: { trigger: 'continue', response, remaining, routing },
    events: () => {
      const sent = sentEvent(context, result, { partly: true })
      if (!first) return [sent]
      const details = { nextAttempt: undefined, routing, recipients: recipientsOf(rejected) }
      return [sent, deliveryErrorEvent(context, first.failure, details)]
    },
  }
}

function recipientsOf(rejected: SendResult['rejected']): string[] {
  return rejected.map(({ recipient }) => recipient)
}

/**
 * Delay after the n-th failed attempt to send a submission: `baseMs`, doubled after each attempt.
 * Jitter shortens the delay by up to 20 %. With a base of 5 s, ten attempts take 34 to 43 minutes.
 */
export function retryDelayMs(attempt: number, baseMs: number, random = Math.random): number {
  return backoff({ baseMs, maxMs: baseMs * 2 ** 20, jitter: 0.2 })(attempt, random)
}

/**
 * Event that reports an accepted message. `partly`: the message will be sent again to some
 * recipients.
 */
function sentEvent(
  { queueId, account, messageId, envelope, attempt }: EventContext,
  result: Omit<SendResult, 'rejected'>,
  { partly }: { partly: boolean },
): NewEvent {
  const { response, serverMessageId = messageId, accepted, routing, omittedHeaders } = result
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
      omittedHeaders,
    }),
  }
}

/** Event of a failed sending attempt, for all recipients of the attempt unless some are named. */
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
        // Counts no sending attempts beyond the maximum: such an attempt only checks whether the
        // message was sent.
        attemptsMade: Math.min(attempt, maxAttempts),
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

/**
 * Numbers in event ids that distinguish the sending attempts of a submission. Uncounted attempts
 * differ by the number of remaining recipients.
 */
function attemptKeyOf({ attempt, envelope }: Pick<EventContext, 'attempt' | 'envelope'>): number[] {
  return [attempt, envelope.to.length]
}
