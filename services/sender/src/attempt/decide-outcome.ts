import type { NetworkRouting, NewEvent } from '@posthorn/db'
import type { AttemptOutcome } from '../store/outcomes.ts'
import type { SendResult } from '../transports/transport.ts'
import { classifyReply } from './classify-reply.ts'
import type { AttemptFailure } from '../transports/transport.ts'
import { deliveryErrorEvent, failedEvent, sentEvent, type EventContext } from './sending-events.ts'
import { retryDelayMs } from './retry-delay.ts'

/** What becomes of a message after an attempt, and what the world is told. */
export interface OutcomeDecision {
  outcome: AttemptOutcome
  events: (nextAttempt: Date | undefined) => NewEvent[]
}

/** After a failed attempt: another one later, or the end. */
export function decideFailure(
  subject: EventContext,
  {
    failure,
    routing,
    inDoubt = false,
  }: { failure: AttemptFailure; routing?: NetworkRouting | undefined; inDoubt?: boolean },
  baseMs: number,
): OutcomeDecision {
  const isLast = classifyReply(failure).permanent || subject.attempt >= subject.maxAttempts
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
export function decideAccepted(
  subject: EventContext,
  accepted: SendResult,
  baseMs: number,
): OutcomeDecision {
  const deferred = accepted.rejected.filter(({ failure }) => !classifyReply(failure).permanent)
  if (accepted.accepted.length > 0 && deferred.some(({ failure }) => isOneTooMany(failure)))
    return decideRest(subject, accepted, deferred)
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

/**
 * RFC 5321 §4.5.3.1.10: a server that has enough recipients for one message takes the rest in another transaction. Its 452 may mean
 * others' storage as well; that it does is said by another enhanced code than 4.5.3 (RFC 3463 §3.6).
 */
function isOneTooMany({ response = '', command }: AttemptFailure): boolean {
  return command === 'RCPT TO' && /^452[ -](?:4\.5\.3\b|(?!4\.\d)|.*too many rec)/i.test(response)
}

/** Nothing failed for those that are left: they are next, and it counts as no attempt. Ends, since each time fewer are left. */
function decideRest(
  subject: EventContext,
  accepted: SendResult,
  deferred: SendResult['rejected'],
): OutcomeDecision {
  const { response, routing, rejected } = accepted
  const refused = rejected.filter((each) => !deferred.includes(each))
  const recipients = refused.map(({ recipient }) => recipient)
  const [first] = refused
  return {
    outcome: {
      state: 'rest',
      response,
      remaining: deferred.map(({ recipient }) => recipient),
      routing,
    },
    events: () => [
      sentEvent(subject, accepted, { partly: true }),
      ...(first
        ? [
            deliveryErrorEvent(subject, first.failure, {
              nextAttempt: undefined,
              routing,
              recipients,
            }),
          ]
        : []),
    ],
  }
}
