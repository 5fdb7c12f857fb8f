import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { CalendarEvent } from '../schemas/calendar.ts'
import { MessageDetail } from '../schemas/message.ts'
import { ReadAddress } from '../schemas/primitives.ts'
import { MessageSummary } from '../schemas/summary.ts'

/**
 * A message was found in a mailbox that did not contain it: by arrival, move, copy or upload.
 * Published by sync-worker, at least once per message and mailbox, with the same event id.
 */
export const messageNew = defineEvent(
  'messageNew',
  Type.Intersect([
    Type.Omit(MessageDetail, ['replyTo']),
    Type.Object({
      /** A single address, unlike in message responses, because clients expect it. */
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

/** A message is no longer in its mailbox. Published by sync-worker, at least once. */
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
 * Flags or Gmail labels of a message changed. Members without a change are absent. Published by
 * sync-worker, at least once per detected change.
 */
export const messageUpdated = defineEvent(
  'messageUpdated',
  Type.Object({
    id: Type.String(),
    uid: Type.Integer(),
    changes: Type.Object({ flags: Type.Optional(Changes), labels: Type.Optional(Changes) }),
  }),
)

/** A message announced by the server could not be fetched. Published by sync-worker. */
export const messageMissing = defineEvent(
  'messageMissing',
  Type.Object({
    id: Type.String(),
    uid: Type.Integer(),
    missingRetries: Type.Integer(),
    missingDelay: Type.Integer(),
  }),
)
