import ICAL from 'ical.js'

/**
 * Formats a calendar time as ISO 8601. A date stays a date. A time becomes UTC if its zone is UTC,
 * in the IANA database or defined in the calendar, else a local time without an offset.
 */
export function toIsoTime(
  time: ICAL.Time,
  zone: string | undefined,
  calendar: ICAL.Component,
): string | undefined {
  if (time.year < 1 || time.year > 9_999) return undefined
  if (time.isDate) return time.toString()
  const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
  if (time.zone === ICAL.Timezone.utcTimezone) return new Date(wall).toISOString()
  const offset =
    zone === undefined
      ? undefined
      : (ianaOffset(wall, zone) ?? vtimezoneOffset(time, zone, calendar))
  if (offset === undefined) return time.toString().replace(/Z$/, '')
  return new Date(wall - offset).toISOString()
}

/** UTC offset in milliseconds of an IANA zone at a local time; undefined for an unknown zone. */
function ianaOffset(wall: number, zone: string): number | undefined {
  try {
    const clock = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    // Two steps: the offset at the local time read as UTC is close; the offset there is correct.
    return offsetAt(clock, wall - offsetAt(clock, wall))
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

/** Recurrence rules common in mail. Expanding other rules could take unbounded time. */
const yearly =
  /^(?:(?:FREQ=YEARLY|BYMONTH=\d{1,2}|BYDAY=[+-]?[1-5](?:MO|TU|WE|TH|FR|SA|SU)|INTERVAL=1|WKST=[A-Z]{2}|UNTIL=[0-9TZ]+);?)+$/
const maxObservances = 20

function vtimezoneOffset(
  time: ICAL.Time,
  zone: string,
  calendar: ICAL.Component,
): number | undefined {
  if (time.year < 1970 || time.year > 2_100) return undefined
  const described = calendar
    .getAllSubcomponents('vtimezone')
    .find((component) => component.getFirstPropertyValue('tzid') === zone)
  if (!described || !isSimple(described)) return undefined
  const local = time.clone()
  return new ICAL.Timezone(described).utcOffset(local) * 1_000
}

function isSimple(zone: ICAL.Component): boolean {
  const kinds = ['standard', 'daylight']
  const observances = kinds.flatMap((kind) => zone.getAllSubcomponents(kind))
  return (
    observances.length > 0 &&
    observances.length <= maxObservances &&
    observances.every((observance) => {
      const start: unknown = observance.getFirstPropertyValue('dtstart')
      const rules = observance.getAllProperties('rrule')
      return (
        start instanceof ICAL.Time &&
        start.year >= 1 &&
        observance.getAllProperties('rdate').length <= 100 &&
        rules.length <= 1 &&
        rules.every((rule) => yearly.test(String(rule.getFirstValue())))
      )
    })
  )
}
