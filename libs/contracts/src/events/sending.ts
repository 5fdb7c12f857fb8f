import { Type } from 'typebox'
import { defineEvent } from '../define.ts'

const Envelope = Type.Object({ from: Type.String(), to: Type.Array(Type.String()) })
/** Network path of an attempt. Absent if no proxy, address or name was configured. */
const NetworkRouting = Type.Object({
  localAddress: Type.Optional(Type.String()),
  /** Host name sent in EHLO. */
  name: Type.Optional(Type.String()),
  /** URL of the proxy without credentials. */
  proxy: Type.Optional(Type.String()),
  /** Requested local address, if it was not available. */
  requestedLocalAddress: Type.Optional(Type.String()),
})

/**
 * The outgoing server accepted a message, which does not confirm delivery to the recipient.
 * Published by sender, at least once, with the same event id.
 */
export const messageSent = defineEvent(
  'messageSent',
  Type.Object({
    messageId: Type.String(),
    /** Submitted Message-ID. Present only if the server replaced it. */
    originalMessageId: Type.Optional(Type.String()),
    response: Type.String(),
    queueId: Type.String(),
    envelope: Envelope,
    networkRouting: Type.Optional(NetworkRouting),
  }),
)

/** An attempt to send a message failed. Published by sender, once per attempt. */
export const messageDeliveryError = defineEvent(
  'messageDeliveryError',
  Type.Object({
    queueId: Type.String(),
    envelope: Envelope,
    messageId: Type.String(),
    error: Type.String(),
    errorCode: Type.Optional(Type.String()),
    smtpResponse: Type.Optional(Type.String()),
    smtpResponseCode: Type.Optional(Type.Integer()),
    smtpCommand: Type.Optional(Type.String()),
    networkRouting: Type.Optional(NetworkRouting),
    job: Type.Object({
      id: Type.String(),
      attemptsMade: Type.Integer(),
      attempts: Type.Integer(),
      nextAttempt: Type.Union([Type.String(), Type.Literal(false)]),
    }),
  }),
)

/**
 * Sending failed permanently: all attempts failed or the server rejected the message. Published by
 * sender, once per submission. `error` is the first line of the first failed attempt's error.
 */
export const messageFailed = defineEvent(
  'messageFailed',
  Type.Object({
    messageId: Type.String(),
    queueId: Type.String(),
    error: Type.String(),
    networkRouting: Type.Optional(NetworkRouting),
  }),
)
