import { UsageError } from '../exit-codes.ts'

/** Converts the text of an option to an integer above 0. */
export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1)
    throw new UsageError('expected a whole number above 0')
  return value
}

/** Converts the text of an option to the number of a port. */
export function portNumber(text: string): number {
  const port = positiveInteger(text)
  if (port > 65_535) throw new UsageError('expected a port between 1 and 65535')
  return port
}

/** Members with a value. Inputs of the client must not have undefined members. */
export function defined<T extends object>(
  values: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
