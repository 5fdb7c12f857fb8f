import { type Static, Type } from 'typebox'

/** An event of a calendar part, such as an invitation: messageNew with notifyCalendarEvents. */
export const CalendarEvent = Type.Object({
  /** UID of RFC 5545. */
  eventId: Type.String(),
  /** The id of the attachment it was read from. */
  attachment: Type.String(),
  /** RFC 5546: REQUEST, REPLY, CANCEL … */
  method: Type.Optional(Type.String()),
  summary: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  /** TZID of the beginning. */
  timezone: Type.Optional(Type.String()),
  /** ISO 8601: a moment, a local time where its zone is not known, or the date of a whole day. */
  startDate: Type.Optional(Type.String()),
  endDate: Type.Optional(Type.String()),
  /** As written: mostly `mailto:` and an address. */
  organizer: Type.Optional(Type.String()),
  filename: Type.String(),
  contentType: Type.String(),
  encoding: Type.Literal('base64'),
  content: Type.String(),
})
export type CalendarEvent = Static<typeof CalendarEvent>
