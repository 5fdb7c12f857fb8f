import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'

const MessageHeaders = Type.Record(Type.String(), Type.Array(Type.String()))

/**
 * A message could not be delivered to a recipient, or not yet: one event for each recipient that a report names. Published by sync-worker, at
 * least once, same event id on a repeat.
 */
export const messageBounce = defineEvent(
  'messageBounce',
  Type.Object({
    /** Id of the message that told. */
    bounceMessage: Type.String(),
    recipient: Type.String(),
    action: Type.String({ description: '`failed`, `delayed`, `delivered`, `relayed`, `expanded`' }),
    response: Type.Object({
      source: Type.String(),
      message: Type.String(),
      status: Type.Optional(Type.String({ description: 'RFC 3463' })),
      category: Type.String(),
      recommendedAction: Type.String(),
      blocklist: Type.Optional(Type.Object({ name: Type.String(), type: Type.String() })),
      retryAfter: Type.Optional(Type.Integer({ description: 'Seconds' })),
    }),
    mta: Type.Optional(Type.String()),
    queueId: Type.Optional(
      Type.String({ description: 'Of the message that was not delivered, where it was sent here' }),
    ),
    /** Of the message that was not delivered; absent where the report does not say. */
    messageId: Type.Optional(Type.String()),
    messageHeaders: Type.Optional(MessageHeaders),
  }),
)
export type MessageBounce = Static<typeof messageBounce.data>

/** Somebody called a message spam, or wants no more (RFC 5965). Published by sync-worker, at least once, same event id on a repeat. */
export const messageComplaint = defineEvent(
  'messageComplaint',
  Type.Object({
    /** Id of the message that told. */
    complaintMessage: Type.String(),
    arf: Type.Object({
      source: Type.Optional(Type.String()),
      feedbackType: Type.String(),
      abuseType: Type.Optional(Type.String()),
      userAgent: Type.Optional(Type.String()),
      version: Type.Optional(Type.String()),
      originalMailFrom: Type.Optional(Type.String()),
      originalRcptTo: Type.Array(Type.String()),
      arrivalDate: Type.Optional(Type.String()),
      sourceIp: Type.Optional(Type.String()),
      reportingMta: Type.Optional(Type.String()),
      reportedDomain: Type.Optional(Type.Array(Type.String())),
      authFailure: Type.Optional(Type.String()),
    }),
    headers: Type.Object({
      messageId: Type.Optional(Type.String()),
      from: Type.Optional(Type.String()),
      to: Type.Optional(Type.Array(Type.String())),
      cc: Type.Optional(Type.Array(Type.String())),
      subject: Type.Optional(Type.String()),
      date: Type.Optional(Type.String()),
    }),
  }),
)
export type MessageComplaint = Static<typeof messageComplaint.data>
