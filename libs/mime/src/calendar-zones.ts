import ICAL from 'ical.js'

/**
 * Pattern of the recurrence rules that common time zones use in mail. Other rules are not expanded,
 * because expanding them could take unbounded time.
 */
const yearly =
  /^(?:(?:FREQ=YEARLY|BYMONTH=\d{1,2}|BYDAY=[+-]?[1-5](?:MO|TU|WE|TH|FR|SA|SU)|INTERVAL=1|WKST=[A-Z]{2}|UNTIL=[0-9TZ]+);?)+$/
const maxObservances = 20
/**
 * Maximum number of time zone changes that are expanded per calendar. Each change takes 5 µs. A
 * common time zone has 20 changes for each year that contains events.
 */
const maxChanges = 5_000
/**
 * Number of years for which the library ical.js expands a time zone in addition, after the later of
 * the requested year and the current year.
 */
const extraYears = 5

/**
 * Time zones of one calendar. A time zone is in the IANA database, or a VTIMEZONE component of the
 * calendar defines it.
 */
export class CalendarZones {
  readonly #defined: ReadonlyMap<unknown, ICAL.Component>
  readonly #clocks = new Map<string, Intl.DateTimeFormat | undefined>()
  /** Time zones of the calendar that were expanded for a year, by TZID and year. */
  readonly #expanded = new Map<string, ICAL.Timezone | undefined>()
  #changes = 0

  constructor(calendar: ICAL.Component) {
    // If several time zones of a calendar have the same TZID, the first of them applies.
    const zones = calendar.getAllSubcomponents('vtimezone').reverse()
    this.#defined = new Map(zones.map((zone) => [zone.getFirstPropertyValue('tzid'), zone]))
  }

  /**
   * Formats the time of a calendar event as ISO 8601. A date without a time remains a date. A time
   * in UTC or in a known time zone is converted to UTC. Any other time becomes a local time without
   * an offset.
   */
  toIsoTime(time: ICAL.Time, zone: string | undefined): string | undefined {
    if (time.year < 1 || time.year > 9_999) return undefined
    if (time.isDate) return time.toString()
    const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
    if (time.zone === ICAL.Timezone.utcTimezone) return new Date(wall).toISOString()
    const offset =
      zone === undefined
        ? undefined
        : (this.#ianaOffset(wall, zone) ?? this.#definedOffset(time, zone))
    if (offset === undefined) return time.toString().replace(/Z$/, '')
    return new Date(wall - offset).toISOString()
  }

  /**
   * UTC offset in milliseconds of an IANA time zone at a local time of a calendar event. Undefined
   * for an unknown time zone.
   */
  #ianaOffset(wall: number, zone: string): number | undefined {
    if (!this.#clocks.has(zone)) this.#clocks.set(zone, createClock(zone))
    const clock = this.#clocks.get(zone)
    // The UTC offset of a local time is determined in two steps. Reading the local time as UTC
    // gives an approximate offset. The offset at the time corrected by this approximation is exact.
    return clock && offsetAt(clock, wall - offsetAt(clock, wall))
  }

  #definedOffset(time: ICAL.Time, zone: string): number | undefined {
    if (time.year < 1970 || time.year > 2_100) return undefined
    const key = `${time.year} ${zone}`
    if (!this.#expanded.has(key)) this.#expanded.set(key, this.#expand(zone, time.year))
    const expanded = this.#expanded.get(key)
    return expanded && expanded.utcOffset(time.clone()) * 1_000
  }

  /**
   * Expands a time zone for events of one year. Undefined if the calendar does not define the time
   * zone, or if the expansion would take too long.
   */
  #expand(zone: string, year: number): ICAL.Timezone | undefined {
    const defined = this.#defined.get(zone)
    const observances = defined ? observancesOf(defined) : []
    if (!defined || observances.length === 0 || !observances.every(isSimple)) return undefined
    const lastYear = Math.max(year, new Date().getUTCFullYear()) + extraYears
    this.#changes += observances.length * (lastYear - firstYear(year) + 1)
    if (this.#changes > maxChanges) return undefined
    const local = new ICAL.Component(structuredClone(defined.toJSON()))
    for (const observance of observancesOf(local)) startLater(observance, year)
    return new ICAL.Timezone(local)
  }
}

function createClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    return undefined
  }
}

function offsetAt(clock: Intl.DateTimeFormat, moment: number): number {
  const name = clock.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /^GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(name) ?? []
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -ms : ms
}

/**
 * Standard and daylight components of a time zone in a calendar. Empty if the time zone has too
 * many of these components.
 */
function observancesOf(zone: ICAL.Component): ICAL.Component[] {
  const observances = ['standard', 'daylight'].flatMap((kind) => zone.getAllSubcomponents(kind))
  return observances.length <= maxObservances ? observances : []
}

function isSimple(observance: ICAL.Component): boolean {
  const start: unknown = observance.getFirstPropertyValue('dtstart')
  const rules = observance.getAllProperties('rrule')
  return (
    start instanceof ICAL.Time &&
    start.year >= 1 &&
    observance.getAllProperties('rdate').length <= 100 &&
    rules.length <= 1 &&
    rules.every((rule) => yearly.test(String(rule.getFirstValue())))
  )
}

/**
 * First year for which a time zone is expanded: a leap year at least two years before the requested
 * year. A leap year is needed because a rule may start on 29 February.
 */
function firstYear(year: number): number {
  return year - 2 - ((year - 2) % 4)
}

/**
 * Moves the start of a time zone's yearly rule to a year shortly before the requested year or
 * before the last year of the rule. Time zones of Outlook start in 1601, and expanding all years
 * since then would take seconds.
 */
function startLater(observance: ICAL.Component, year: number): void {
  const start = observance.getFirstPropertyValue('dtstart')
  const rule = observance.getFirstPropertyValue('rrule')
  if (!(start instanceof ICAL.Time) || !(rule instanceof ICAL.Recur)) return
  const later = firstYear(Math.min(year, rule.until?.year ?? year))
  if (later <= start.year) return
  start.year = later
  observance.updatePropertyWithValue('dtstart', start)
}
