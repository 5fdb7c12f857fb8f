import { UsageError } from '../exit-codes.ts'

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Converts the text of an option to a time (ISO 8601): a time, or a period before now (`2h`). */
export function timeBefore(text: string, now = Date.now()): string {
  return timeAt(text, (ms) => now - ms)
}

/** Converts the text of an option to a time (ISO 8601): a time, or a period after now (`30d`). */
export function timeAfter(text: string, now = Date.now()): string {
  return timeAt(text, (ms) => now + ms)
}

/** Converts the text of an option, such as `2026-01-31` or `2026-01-31T12:00:00Z`, to ISO 8601. */
export function timeText(text: string): string {
  const time = readTime(text)
  if (!time) throw new UsageError('expected a time such as 2026-01-31 or 2026-01-31T12:00:00Z')
  return time.toISOString()
}

function timeAt(text: string, fromPeriod: (ms: number) => number): string {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? []
  const time =
    count === undefined
      ? readTime(text)
      : validDate(fromPeriod(Number(count) * (unitMs[unit] ?? 0)))
  if (!time)
    throw new UsageError(
      'expected a time such as 2030-01-31T08:00:00Z, or a period such as 2h or 7d',
    )
  return time.toISOString()
}

/**
 * Reads a time with a year, month and day from an option. `Date` would accept a text such as `1` as
 * a year.
 */
function readTime(text: string): Date | undefined {
  return /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? validDate(text) : undefined
}

function validDate(value: string | number): Date | undefined {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Converts the text of an option to a list of the texts between its commas. */
export function commaSeparated(text: string): string[] {
  const values = text.split(',').map((value) => value.trim())
  if (values.includes('')) throw new UsageError('expected texts that are separated by commas')
  return values
}

/** Time of the API as a table shows it: `2030-01-31 08:00:00`, in the time zone of the terminal. */
export function localTime(time: string | null | undefined): string | undefined {
  if (!time) return undefined
  const date = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}
