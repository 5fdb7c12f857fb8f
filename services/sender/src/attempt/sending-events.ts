import { messageDeliveryError, messageFailed, messageSent } from '@posthorn/contracts'
import { deriveEventId, type NetworkRouting, type NewEvent } from '@posthorn/db'
import type { AttemptFailure } from '../transports/transport.ts'

/** The message that an event is about. */
export interface EventContext {
  queueId: string
  account: string
  messageId: string
  envelope: { from: string; to: string[] }
  attempt: number
  maxAttempts: number
  firstError: string | null
}

export interface Acceptance {
  response: string
  /** The Message-ID that the server put in place of ours. */
  serverMessageId?: string
  accepted: string[]
  routing?: NetworkRouting
}

/** The server took the message. `partly`: for some of the recipients, and the others will be tried again. */
export function sentEvent(
  { queueId, account, messageId, envelope, attempt }: EventContext,
  { response, serverMessageId, accepted, routing }: Acceptance,
  { partly }: { partly: boolean },
): NewEvent {
  const rewritten = serverMessageId !== undefined && serverMessageId !== messageId
  return {
    eventId: deriveEventId([
      'messageSent',
      queueId,
      ...(partly ? turn({ attempt, envelope }) : []),
    ]),
    event: messageSent.name,
    account,
    data: {
      messageId: rewritten ? serverMessageId : messageId,
      ...(rewritten ? { originalMessageId: messageId } : {}),
      response,
      queueId,
      envelope: { from: envelope.from, to: accepted },
      ...networkRouting(routing),
    },
  }
}

/** One attempt failed, for all recipients or for those named. */
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
  return {
    eventId: deriveEventId(['messageDeliveryError', queueId, ...turn({ attempt, envelope })]),
    event: messageDeliveryError.name,
    account,
    data: {
      queueId,
      envelope: { from: envelope.from, to: recipients },
      messageId,
      error: message,
      ...(code === undefined ? {} : { errorCode: code }),
      ...(response === undefined ? {} : { smtpResponse: response }),
      ...(responseCode === undefined ? {} : { smtpResponseCode: responseCode }),
      ...(command === undefined ? {} : { smtpCommand: command }),
      ...networkRouting(routing),
      job: {
        id: queueId,
        attemptsMade: attempt,
        attempts: maxAttempts,
        nextAttempt: nextAttempt?.toISOString() ?? false,
      },
    },
  }
}

/** Nothing more will be tried. */
export function failedEvent(
  { queueId, account, messageId, firstError }: EventContext,
  { message }: AttemptFailure,
  routing?: NetworkRouting,
): NewEvent {
  return {
    eventId: deriveEventId(['messageFailed', queueId]),
    event: messageFailed.name,
    account,
    data: {
      messageId,
      queueId,
      error: (firstError ?? message).split(/\r?\n/, 1)[0] ?? '',
      ...networkRouting(routing),
    },
  }
}

/** Attempts that only went on with the recipients that were left count once: it is these that tell them apart. */
function turn({ attempt, envelope }: Pick<EventContext, 'attempt' | 'envelope'>): number[] {
  return [attempt, envelope.to.length]
}

function networkRouting(routing: NetworkRouting | undefined) {
  return routing === undefined ? {} : { networkRouting: routing }
}
