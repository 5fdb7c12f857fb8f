import { type Static, Type } from 'typebox'
import { Text } from './primitives.ts'

/**
 * Event in a calendar part of a message, such as an invitation. Part of messageNew if
 * `notifyCalendarEvents` is on.
 */
export const CalendarEvent = Type.Object({
  eventId: Text('`UID` of the calendar event (RFC 5545 §3.8.4.7).'),
  attachment: Text('Id of the attachment that contains the calendar event.'),
  method: Type.Optional(
    Text(
      'Method of the calendar part, such as `REQUEST` (invitation), `REPLY` or `CANCEL` (RFC 5546 §1.4).',
    ),
  ),
  summary: Type.Optional(Text('Title of the calendar event (`SUMMARY`).')),
  description: Type.Optional(Text('Description of the calendar event (`DESCRIPTION`).')),
  timezone: Type.Optional(
    Text('Name of the time zone of `startDate` in the calendar part (`TZID`).'),
  ),
  startDate: Type.Optional(
    Text(
      'Start of the calendar event (ISO 8601): time with zone, local time if the zone is unknown, or date of an all-day event.',
    ),
  ),
  endDate: Type.Optional(
    Text(
      'End of the calendar event (ISO 8601), in the same form as `startDate`: time with zone, local time, or date of an all-day event.',
    ),
  ),
  organizer: Type.Optional(
    Text(
      'Organizer of the calendar event, copied from the calendar part. Usually `mailto:` and an email address.',
    ),
  ),
  filename: Text('File name of the calendar part.'),
  contentType: Text('Media type of the calendar part.'),
  encoding: Type.Literal('base64', { description: 'Encoding of `content`. Always `base64`.' }),
  content: Type.Optional(
    Text(
      'Calendar part (iCalendar) as base64. Only in the first calendar event of each calendar part, and absent if the calendar parts of the message exceed 524,288 bytes.',
    ),
  ),
})
export type CalendarEvent = Static<typeof CalendarEvent>
