import { defined } from '@posthorn/contracts/defined'
import {
  messageDeliveryError,
  messageFailed,
  messageSent,
} from '@posthorn/contracts/events/sending'
import { deriveEventId, type NetworkRouting, type NewEvent } from '@posthorn/db'
import { backoff } from '@posthorn/flow'
import type { AttemptOutcome } from '../store/outcomes.ts'
import type { Submission } from '../store/submission.ts'
import type {
  AttemptError,
  AttemptFailure,
  ReplyClass,
  SendResult,
} from '../transports/transport.ts'

/** Failures without a reply that repeat: caused by the message, the envelope or the settings. */
const permanentCodes = new Set([
  'EAUTH',
  'ENOAUTH',
  'EOAUTH2',
  'ETLS',
  'EENVELOPE',
  'EMESSAGE',
  'EPROTOCOL',
  'ESMTPUTF8',
  'ELISTLEFT',
  'EEGRESSBLOCKED',
  'SMTPUnavailable',
  'AccountNotFound',
  'GatewayNotFound',
])

/** Replies to these commands concern the session, not the message. */
const sessionCommands = /^(?:CONN|EHLO|HELO|AUTH)\b/
/** SMTP commands before the login. */
const unauthenticated = new Set(['CONN', 'EHLO', 'HELO', 'STARTTLS'])
/** TLS failures. Each account decides which certificates and versions it accepts. */
const tlsCodes =
  /^(?:ETLS|EPROTO|ERR_(?:SSL|TLS)_.*|CERT_.*|DEPTH_.*|SELF_SIGNED_.*|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/

/** Classifies a failure. Unknown failures are temporary and concern only the message. */
export function classifyReply(failure: AttemptFailure): ReplyClass {
  return defined({ permanent: isPermanent(failure), suspends: suspendedLane(failure) })
}

/**
 * A 5xx reply is permanent (RFC 5321 §4.2.1), with two exceptions. 503 reports a protocol state
 * error. Replies to the greeting or the login affect all messages of the account, and an operator
 * can fix the cause. Without a reply the code decides.
 */
function isPermanent({ code, responseCode, command = '' }: AttemptFailure): boolean {
  if (responseCode === undefined) return code !== undefined && permanentCodes.has(code)
  return (
    responseCode >= 500 &&
    responseCode <= 599 &&
    responseCode !== 503 &&
    !sessionCommands.test(command)
  )
}

function suspendedLane(failure: AttemptFailure): ReplyClass['suspends'] {
  const { code, responseCode = 0, command = '' } = failure
  const isTemporary = responseCode >= 400 && responseCode < 500
  if (code === 'EEGRESSBLOCKED') return undefined
  if (isLoginOrProxy(failure) || (isTls(failure) && !isTemporary)) return 'account'
  if (unauthenticated.has(command)) return 'host'
  // RFC 5321 §3.8: after 421 the server closes the channel. A temporary reply to MAIL FROM rejects
  // the sender before the server has seen the message.
  return responseCode === 421 || (command === 'MAIL FROM' && isTemporary) ? 'account' : undefined
}

function isLoginOrProxy({ code, command }: AttemptFailure): boolean {
  return code === 'EAUTH' || code === 'EPROXY' || command?.startsWith('AUTH') === true
}

function isTls({ code }: AttemptFailure): boolean {
  return code !== undefined && tlsCodes.test(code)
}

/** Properties of a submission that its events report. */
export type EventContext = Pick<
  Submission,
  'queueId' | 'account' | 'messageId' | 'envelope' | 'attempt' | 'maxAttempts' | 'firstError'
>

/**
 * Outcome of an attempt, and the events of the outcome once the time of the next attempt is known.
 */
export interface OutcomeDecision {
  outcome: AttemptOutcome
  events: (nextAttempt: Date | undefined) => NewEvent[]
}

type Failed = Pick<AttemptError, 'failure'> & {
  routing?: NetworkRouting | undefined
  inDoubt?: boolean
  replyClass?: ReplyClass | undefined
}

/** Decides between retry and rejection after a failed attempt. */
export function decideFailure(
  context: EventContext,
  { failure, routing, inDoubt = false, replyClass = classifyReply(failure) }: Failed,
  retryBaseMs: number,
): OutcomeDecision {
  const isLast = replyClass.permanent || context.attempt >= context.maxAttempts
  const delayMs = retryDelayMs(context.attempt, retryBaseMs)
  return {
    outcome: isLast
      ? { trigger: 'reject', failure, routing, inDoubt }
      : { trigger: 'retry', failure, routing, inDoubt, delayMs },
    events: (nextAttempt) => [
      deliveryErrorEvent(context, failure, { nextAttempt, routing }),
      ...(isLast ? [failedEvent(context, failure, routing)] : []),
    ],
  }
}

/**
 * Decides the outcome after an acceptance. Recipients with a temporary rejection are tried again
 * alone. All rejected recipients are reported in one messageDeliveryError.
 */
export function decideAccepted(
  context: EventContext,
  result: SendResult,
  retryBaseMs: number,
): OutcomeDecision {
  const deferred = result.rejected.filter(({ failure }) => !classifyReply(failure).permanent)
  if (result.accepted.length > 0 && deferred.some(({ failure }) => isTooManyRecipients(failure)))
    return decideContinue(context, result, deferred)
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
 * True if the server limits the recipients per transaction (RFC 5321 §4.5.3.1.10). Reply 452 may
 * also report a full disk, with another enhanced code than 4.5.3 (RFC 3463 §3.6).
 */
function isTooManyRecipients({ response = '', command }: AttemptFailure): boolean {
  return command === 'RCPT TO' && /^452[ -](?:4\.5\.3\b|(?!4\.\d)|.*too many rec)/i.test(response)
}

/**
 * Decides the outcome of a message that an earlier attempt has sent. The recipients that the server
 * did not accept in the earlier attempt are tried again alone.
 */
export function decideFound(
  context: EventContext & Pick<Submission, 'handedOver'>,
  response: string,
  retryBaseMs: number,
): OutcomeDecision {
  const { to } = context.envelope
  const { handedOver } = context
  const accepted = handedOver ? to.filter((address) => handedOver.includes(address)) : to
  const remaining = to.filter((address) => !accepted.includes(address))
  const result = { response, accepted, rejected: [] }
  if (remaining.length === 0) return decideAccepted(context, result, retryBaseMs)
  return {
    outcome: { trigger: 'continue', response, remaining },
    events: () => [sentEvent(context, result, { partly: true })],
  }
}

/**
 * Sends to the remaining recipients immediately, without counting an attempt. Terminates, because
 * every transaction has fewer recipients.
 */
function decideContinue(
  context: EventContext,
  result: SendResult,
  deferred: SendResult['rejected'],
): OutcomeDecision {
  const { response, routing } = result
  const rejected = result.rejected.filter((each) => !deferred.includes(each))
  const [first] = rejected
  return {
    outcome: { trigger: 'continue', response, remaining: recipientsOf(deferred), routing },
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
 * Delay after the n-th failed attempt: `baseMs`, doubled after each attempt. Jitter shortens the
 * delay by up to 20 %. With a base of 5 s, ten attempts take 34 to 43 minutes.
 */
export function retryDelayMs(attempt: number, baseMs: number, random = Math.random): number {
  return backoff({ baseMs, maxMs: baseMs * 2 ** 20, jitter: 0.2 })(attempt, random)
}

/** Event of an accepted message. `partly`: some recipients will be tried again. */
function sentEvent(
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
        // An attempt beyond the maximum only checks whether the message was sent.
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

/** Distinguishes attempts in event ids. Uncounted attempts differ by the remaining recipients. */
function attemptKeyOf({ attempt, envelope }: Pick<EventContext, 'attempt' | 'envelope'>): number[] {
  return [attempt, envelope.to.length]
}
