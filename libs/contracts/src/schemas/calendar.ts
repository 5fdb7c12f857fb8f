import { type Static, Type } from 'typebox'

/**
 * Event of a calendar part, such as an invitation. In messageNew if `notifyCalendarEvents` is on.
 */
export const CalendarEvent = Type.Object({
  /** `UID` (RFC 5545 §3.8.4.7). */
  eventId: Type.String(),
  /** Id of the attachment that contains the event. */
  attachment: Type.String(),
  /** Method such as `REQUEST`, `REPLY` or `CANCEL` (RFC 5546 §1.4). */
  method: Type.Optional(Type.String()),
  summary: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  /** `TZID` of the start. */
  timezone: Type.Optional(Type.String()),
  /** ISO 8601: time with zone, local time if the zone is unknown, or date of an all-day event. */
  startDate: Type.Optional(Type.String()),
  endDate: Type.Optional(Type.String()),
  /** Unchanged value, usually `mailto:` and an address. */
  organizer: Type.Optional(Type.String()),
  filename: Type.String(),
  contentType: Type.String(),
  encoding: Type.Literal('base64'),
  content: Type.String(),
})
export type CalendarEvent = Static<typeof CalendarEvent>
