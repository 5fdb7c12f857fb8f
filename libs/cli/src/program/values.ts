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

/** Converts the text of an option to the number of a port. */
export function portNumber(text: string): number {
  const value = positiveInteger(text)
  if (value > 65_535) throw new UsageError('expected a port from 1 to 65535')
  return value
}
