import { UsageError } from '../exit-codes.ts'

/** Converts the text of an option to an integer above 0. */
export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1)
    throw new UsageError('expected a whole number above 0')
  return value
}

/** Converts the text of an option to an integer of 0 or more. */
export function nonNegativeInteger(text: string): number {
  return text === '0' ? 0 : positiveInteger(text)
}

/** Checks the number of a port. */
export function portNumber(text: string): number {
  const value = positiveInteger(text)
  if (value > 65_535) throw new UsageError('expected a port from 1 to 65535')
  return value
}

/** Time in ISO 8601, such as `2026-01-31` or `2026-01-31T12:00:00Z`, in the format of the API. */
export function timeText(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime()))
    throw new UsageError('expected a time such as 2026-01-31 or 2026-01-31T12:00:00Z')
  return time.toISOString()
}

/** Members with a value. Inputs of the client must not have undefined members. */
export function defined<T extends object>(
  values: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
