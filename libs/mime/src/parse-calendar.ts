import { defined } from '@posthorn/contracts/defined'
import ICAL from 'ical.js'
import { CalendarZones } from './calendar-zones.ts'
import { selectCalendarLines } from './select-calendar-lines.ts'

/** Calendar event in an invitation. */
interface CalendarEntry {
  /** UID of the calendar event. All messages about the event contain this UID. */
  uid: string
  summary?: string
  description?: string
  /** Name of the calendar event's time zone: the parameter TZID of DTSTART. */
  timezone?: string
  /**
   * Start of a calendar event in ISO 8601: a time in UTC, a date, or a local time without an offset
   * if the time zone is unknown.
   */
  startDate?: string
  endDate?: string
  /**
   * Organizer of a calendar event as in the invitation, usually `mailto:` followed by an address.
   */
  organizer?: string
}

interface ParsedCalendar {
  /** True if calendar events were left out or texts were shortened because of a limit. */
  isCut?: true
  /** Property METHOD of the invitation (RFC 5546): REQUEST, REPLY, CANCEL … */
  method?: string
  /**
   * Calendar events of the invitation, one for each UID. Changed instances of a recurring event are
   * left out.
   */
  entries: CalendarEntry[]
}

/**
 * Maximum number of characters in a calendar file. A larger file is a calendar export and not an
 * invitation.
 */
const maxLength = 1_048_576
const maxEntries = 100
const maxText = 65_536

/**
 * Parses an iCalendar object (RFC 5545). The result has no entries if the input is invalid, or if
 * the calendar exceeds a limit. In the second case, `isCut` is set. Recurring events are not
 * expanded. Takes linear time.
 */
export function parseCalendar(text: string): ParsedCalendar {
  const lines = text.length > maxLength ? undefined : selectCalendarLines(text, maxText)
  if (lines === undefined) return { isCut: true, entries: [] }
  try {
    const calendar = new ICAL.Component(ICAL.parse(lines))
    const method = textOf(calendar, 'method')
    const { entries, isCut } = listEntries(calendar)
    return defined({ isCut: isCut || undefined, method: method?.toUpperCase(), entries })
  } catch {
    return { entries: [] }
  }
}

function listEntries(calendar: ICAL.Component): { entries: CalendarEntry[]; isCut: boolean } {
  const entries = new Map<string, CalendarEntry>()
  const zones = new CalendarZones(calendar)
  const events = calendar.getAllSubcomponents('vevent')
  const series = events.filter((event) => !event.hasProperty('recurrence-id'))
  let isCut = false
  for (const event of [...series, ...events]) {
    const uid = textOf(event, 'uid')
    if (uid === undefined || entries.has(uid)) continue
    if (entries.size >= maxEntries) return { entries: [...entries.values()], isCut: true }
    isCut ||= hasLongText(event)
    entries.set(uid, toEntry(uid, event, zones))
  }
  return { entries: [...entries.values()], isCut }
}

function hasLongText(event: ICAL.Component): boolean {
  return ['summary', 'description'].some((name) => {
    const value: unknown = event.getFirstPropertyValue(name)
    return typeof value === 'string' && value.length > maxText
  })
}

function toEntry(uid: string, event: ICAL.Component, zones: CalendarZones): CalendarEntry {
  const start = timeOf(event, 'dtstart')
  const end = timeOf(event, 'dtend') ?? endAfter(event, start)
  return defined({
    uid,
    summary: textOf(event, 'summary'),
    description: textOf(event, 'description'),
    timezone: start?.zone,
    startDate: start && zones.toIsoTime(start.time, start.zone),
    endDate: end && zones.toIsoTime(end.time, end.zone),
    organizer: textOf(event, 'organizer'),
  })
}

interface ZonedTime {
  time: ICAL.Time
  zone: string | undefined
}

function timeOf(event: ICAL.Component, name: string): ZonedTime | undefined {
  const property = event.getFirstProperty(name)
  const time: unknown = property?.getFirstValue()
  if (!property || !(time instanceof ICAL.Time)) return undefined
  const zone: unknown = property.getFirstParameter('tzid')
  return { time, zone: typeof zone === 'string' && zone !== '' ? zone.slice(0, 256) : undefined }
}

/** End of a calendar event that has a DURATION instead of a DTEND (RFC 5545 §3.6.1). */
function endAfter(event: ICAL.Component, start: ZonedTime | undefined): ZonedTime | undefined {
  const duration: unknown = event.getFirstPropertyValue('duration')
  if (!start || !(duration instanceof ICAL.Duration)) return undefined
  const time = start.time.clone()
  time.addDuration(duration)
  return { time, zone: start.zone }
}

function textOf(component: ICAL.Component, name: string): string | undefined {
  const value: unknown = component.getFirstPropertyValue(name)
  return typeof value === 'string' && value !== '' ? value.slice(0, maxText) : undefined
}
