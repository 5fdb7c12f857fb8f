import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'

const MessageHeaders = Type.Record(Type.String(), Type.Array(Type.String()))

/**
 * A delivery report names a failed or delayed recipient. One event per recipient. Published by
 * sync-worker, at least once, with the same event id.
 */
export const messageBounce = defineEvent(
  'messageBounce',
  Type.Object({
    /** Id of the report message. */
    bounceMessage: Type.String(),
    recipient: Type.String(),
    action: Type.String({
      description:
        'Action of the report: `failed`, `delayed`, `delivered`, `relayed` or `expanded`.',
    }),
    response: Type.Object({
      source: Type.String(),
      message: Type.String(),
      status: Type.Optional(Type.String({ description: 'Enhanced status code (RFC 3463).' })),
      category: Type.String(),
      recommendedAction: Type.String(),
      blocklist: Type.Optional(Type.Object({ name: Type.String(), type: Type.String() })),
      retryAfter: Type.Optional(
        Type.Integer({ description: 'Recommended delay of a retry in seconds.' }),
      ),
    }),
    mta: Type.Optional(Type.String()),
    queueId: Type.Optional(
      Type.String({
        description: 'Id of the submission, if the message was sent by this service.',
      }),
    ),
    /** Message-ID of the original message. Absent if the report does not contain it. */
    messageId: Type.Optional(Type.String()),
    messageHeaders: Type.Optional(MessageHeaders),
  }),
)
export type MessageBounce = Static<typeof messageBounce.data>

/**
 * An abuse report (RFC 5965) for a message arrived. Published by sync-worker, at least once, with
 * the same event id.
 */
export const messageComplaint = defineEvent(
  'messageComplaint',
  Type.Object({
    /** Id of the report message. */
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
