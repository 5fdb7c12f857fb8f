import { isObject, tryParse } from '../decode.ts'

// Conversions of members of entities in EmailEngine's store. In hashes all values are texts; in
// JSON, MessagePack and exported files they have types. A value that cannot be converted is
// returned unchanged, so that the validation of the input reports the value.

/** True for a stored value which means that a member of an EmailEngine entity is not set. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 'null'
}

export function toBoolean(value: unknown): unknown {
  const text = String(value).toLowerCase()
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  return isUnset(value) ? undefined : value
}

export function toInteger(value: unknown): unknown {
  if (isUnset(value)) return undefined
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
}

/** Converts a number in an EmailEngine entity to a text. */
export function toText(value: unknown): unknown {
  if (isUnset(value)) return undefined
  return typeof value === 'number' ? String(value) : value
}

/** Converts a date, a text or a number of milliseconds in an EmailEngine entity to ISO 8601. */
export function toDate(value: unknown): unknown {
  if (isUnset(value)) return undefined
  const isMilliseconds = typeof value === 'number' || /^\d{11,15}$/.test(String(value))
  const date =
    value instanceof Date ? value : new Date(isMilliseconds ? Number(value) : String(value))
  return Number.isNaN(date.getTime()) ? value : date.toISOString()
}

/** Parses the JSON text of an object or a list in an EmailEngine entity. */
export function toStructure(value: unknown): unknown {
  if (isUnset(value)) return undefined
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
  return tryParse(value)
}

/** Converts the JSON text of a list, or a single text, in an EmailEngine entity to a list. */
export function toList(value: unknown): unknown {
  const parsed = toStructure(value)
  return typeof parsed === 'string' ? [parsed] : parsed
}

/**
 * Converts HTTP headers in an EmailEngine entity: a list of pairs, the JSON text of a list, or an
 * object.
 */
export function toHeaders(value: unknown): unknown {
  const parsed = toStructure(value)
  if (!isObject(parsed)) return parsed
  return Object.entries(parsed).map(([key, header]) => ({ key, value: header }))
}

/**
 * Copies the members of an EmailEngine entity except the named members and members that are not
 * set.
 */
export function withoutMembers(
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([name, member]) => !names.includes(name) && !isUnset(member)),
  )
}

/** Removes the undefined members of an imported entity's input. */
export function compact(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined))
}

/** Replaces control characters by spaces, for texts that must be a single line, such as names. */
export function toLine(text: string): string {
  return text.replace(/[\u0000-\u001F\u007F]+/g, ' ').trim()
}
