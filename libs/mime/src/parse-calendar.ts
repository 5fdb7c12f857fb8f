import { defined } from '@posthorn/contracts/defined'
import ICAL from 'ical.js'
import { CalendarZones } from './calendar-zones.ts'
import { selectCalendarLines } from './select-calendar-lines.ts'

/** Calendar event of an invitation. */
interface CalendarEntry {
  /** UID of the event, identical in all messages about the event. */
  uid: string
  summary?: string
  description?: string
  /** Time zone of the event: TZID of DTSTART. */
  timezone?: string
  /**
   * Start of the event in ISO 8601: UTC time, local time without offset if the zone is unknown, or
   * a date.
   */
  startDate?: string
  endDate?: string
  /** Organizer of the event as sent, usually `mailto:` and an address. */
  organizer?: string
}

interface ParsedCalendar {
  /** True if calendar events or the ends of their texts are left out, because of a limit. */
  isCut?: true
  /** METHOD of the invitation (RFC 5546): REQUEST, REPLY, CANCEL … */
  method?: string
  /** Events of the invitation, one per UID; changed instances of a series are left out. */
  entries: CalendarEntry[]
}

/** Maximum characters of a calendar file. Larger files are calendar exports, not invitations. */
const maxLength = 1_048_576
const maxEntries = 100
const maxText = 65_536

/**
 * Parses an iCalendar object (RFC 5545). Invalid input has no entries, and neither have calendars
 * beyond a limit, which are marked by `isCut`. Does not expand recurrence. Linear in time.
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

/** End of a calendar event. RFC 5545 §3.6.1: DTSTART plus DURATION replaces DTEND. */
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
