import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { CalendarEvent } from '../schemas/calendar.ts'
import { MessageDetail } from '../schemas/message.ts'
import { ReadAddress } from '../schemas/primitives.ts'
import { MessageSummary } from '../schemas/summary.ts'

/**
 * A message is in a folder where it was not before: arrival, move, copy and upload alike.
 *
 * Published by sync-worker, at least once a message and mailbox, with the same event id on a repeat.
 */
export const messageNew = defineEvent(
  'messageNew',
  Type.Intersect([
    Type.Omit(MessageDetail, ['replyTo']),
    Type.Object({
      /** One address here, a list where a message is read back: that is how either is known to clients. */
      replyTo: Type.Optional(ReadAddress),
      uid: Type.Integer(),
      path: Type.String(),
      seemsLikeNew: Type.Boolean(),
      isBounce: Type.Optional(Type.Boolean()),
      isComplaint: Type.Optional(Type.Boolean()),
      relatedMessageId: Type.Optional(Type.String()),
      deliveryReport: Type.Optional(Type.Unknown()),
      calendarEvents: Type.Optional(Type.Array(CalendarEvent)),
      summary: Type.Optional(MessageSummary),
      missingDelay: Type.Optional(Type.Integer()),
      missingRetries: Type.Optional(Type.Integer()),
    }),
  ]),
)
export type MessageNew = Static<typeof messageNew.data>

/** A message is no longer in its folder. Published by sync-worker, at least once. */
export const messageDeleted = defineEvent(
  'messageDeleted',
  Type.Object({ id: Type.String(), uid: Type.Integer() }),
)

const Changes = Type.Object({
  added: Type.Array(Type.String()),
  removed: Type.Array(Type.String()),
  value: Type.Array(Type.String()),
})

/**
 * The flags of a message changed, or its labels at Gmail, or both: each is there where it did. Published by sync-worker, at least once a
 * change that was seen.
 */
export const messageUpdated = defineEvent(
  'messageUpdated',
  Type.Object({
    id: Type.String(),
    uid: Type.Integer(),
    changes: Type.Object({ flags: Type.Optional(Changes), labels: Type.Optional(Changes) }),
  }),
)

/** A message that the server had announced could not be fetched. Published by sync-worker. */
export const messageMissing = defineEvent(
  'messageMissing',
  Type.Object({
    id: Type.String(),
    uid: Type.Integer(),
    missingRetries: Type.Integer(),
    missingDelay: Type.Integer(),
  }),
)
