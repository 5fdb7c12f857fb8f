const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** Days after which a time is shown as a date. */
const maxRelativeDays = 14

/** Text of a time relative to now: `3 minutes ago`, `in 2 hours`, or the date of an older time. */
export function relativeTime(value: Date, now: Date): string {
  const seconds = Math.round((value.getTime() - now.getTime()) / 1000)
  const size = Math.abs(seconds)
  if (size < 5) return 'now'
  if (size > maxRelativeDays * 86_400) return day.format(value)
  const [unit, length] = units.find(([, each]) => size >= each) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / length), unit)
}

/** Text of a time in the time zone of the reader, with seconds and the zone. */
export function exactTime(value: Date): string {
  return exact.format(value)
}
