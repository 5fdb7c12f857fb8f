import { Type } from 'typebox'
import { defineEvent } from '../define.ts'

const Envelope = Type.Object({ from: Type.String(), to: Type.Array(Type.String()) })
/** The way a message went, where it was not the ordinary one. */
const NetworkRouting = Type.Object({
  localAddress: Type.Optional(Type.String()),
  /** What EHLO said. */
  name: Type.Optional(Type.String()),
  /** Without credentials. */
  proxy: Type.Optional(Type.String()),
  /** The local address that was asked for, where it could not be had. */
  requestedLocalAddress: Type.Optional(Type.String()),
})

/** The account's outgoing server accepted a queued message; acceptance is not delivery. Published by sender, at least once, same event id on a repeat. */
export const messageSent = defineEvent(
  'messageSent',
  Type.Object({
    messageId: Type.String(),
    /** Only where the server rewrote the Message-ID: the one we had given. */
    originalMessageId: Type.Optional(Type.String()),
    response: Type.String(),
    queueId: Type.String(),
    envelope: Envelope,
    networkRouting: Type.Optional(NetworkRouting),
  }),
)

/** One attempt to deliver failed. Published by sender, once an attempt. */
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

/** No attempt is left, or the server refused for good. Published by sender, once a submission. `error` is the first line of the first failed attempt's error. */
export const messageFailed = defineEvent(
  'messageFailed',
  Type.Object({
    messageId: Type.String(),
    queueId: Type.String(),
    error: Type.String(),
    networkRouting: Type.Optional(NetworkRouting),
  }),
)
