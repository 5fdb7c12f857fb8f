import type { NetworkRouting, NewEvent } from '@posthorn/db'
import type { Outcome } from '../store/outcomes.ts'
import type { Accepted } from '../transports/transport.ts'
import { classify } from './classify-reply.ts'
import type { DeliveryFailure } from './delivery-error.ts'
import { deliveryErrorEvent, failedEvent, sentEvent, type Subject } from './events.ts'
import { retryDelayMs } from './schedule.ts'

/** What becomes of a message after an attempt, and what the world is told. */
export interface Decision {
  outcome: Outcome
  events: (nextAttempt: Date | undefined) => NewEvent[]
}

/** After a failed attempt: another one later, or the end. */
export function decideFailure(
  subject: Subject,
  {
    failure,
    routing,
    inDoubt = false,
  }: { failure: DeliveryFailure; routing?: NetworkRouting | undefined; inDoubt?: boolean },
  baseMs: number,
): Decision {
  const isLast = classify(failure).permanent || subject.attempt >= subject.maxAttempts
  return {
    outcome: isLast
      ? { state: 'failed', failure, routing, inDoubt }
      : {
          state: 'retry',
          failure,
          routing,
          inDoubt,
          delayMs: retryDelayMs(subject.attempt, baseMs),
        },
    events: (nextAttempt) => [
      deliveryErrorEvent(subject, failure, { nextAttempt, routing }),
      ...(isLast ? [failedEvent(subject, failure, routing)] : []),
    ],
  }
}

/**
 * After the server took the message. Recipients it refused meanwhile are not forgotten: those refused for now are tried again alone,
 * those refused for good are told in a messageDeliveryError.
 */
export function decideAccepted(subject: Subject, accepted: Accepted, baseMs: number): Decision {
  const deferred = accepted.rejected.filter(({ failure }) => !classify(failure).permanent)
  const failure = (deferred[0] ?? accepted.rejected[0])?.failure
  const remaining =
    subject.attempt < subject.maxAttempts ? deferred.map(({ recipient }) => recipient) : []
  const partly = remaining.length > 0
  const { response, routing, serverMessageId } = accepted
  const refused = accepted.rejected.map(({ recipient }) => recipient)
  return {
    outcome:
      partly && failure
        ? {
            state: 'partly',
            response,
            remaining,
            failure,
            routing,
            delayMs: retryDelayMs(subject.attempt, baseMs),
          }
        : { state: 'sent', response, routing, serverMessageId },
    events: (nextAttempt) => [
      sentEvent(subject, accepted, { partly }),
      ...(failure
        ? [deliveryErrorEvent(subject, failure, { nextAttempt, routing, recipients: refused })]
        : []),
    ],
  }
}
