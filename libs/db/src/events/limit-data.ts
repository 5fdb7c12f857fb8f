import {
  fitText,
  JsonMeter,
  keyBytes,
  type Members,
  ruleOf,
  type SizeLimit,
  type Uncounted,
} from './json-size.ts'

/**
 * Maximum size in bytes of an event's data as JSON. Members whose size is limited by settings do
 * not count.
 */
export const maxEventBytes = 1_048_576
/** Number of bytes of the maximum event size that are reserved for the member `truncated`. */
const markerBytes = 4_096
/**
 * Maximum number of members up to which the members of an event data record are shortened
 * individually. A larger record loses its last members, like a list.
 */
const maxSharing = 100
/**
 * Deepest level of event data at which a large value is shortened. Large values at deeper levels
 * are left out. The depth is limited because each level is measured again.
 */
const maxDepth = 6

/**
 * Members of events whose size is limited by settings (`notifyTextSize`, `notifyAttachmentSize`).
 * The code that creates these members applies the settings.
 */
const limitedBySettings: Uncounted = {
  text: { plain: true, html: true },
  attachments: { '*': { content: true } },
}

/**
 * Limits the data of an event to `maxEventBytes`. Shortens the largest members to a common size, by
 * removing the end of lists and texts. Smaller members stay unchanged. Adds the names of the
 * shortened members to `truncated`. Data within the limit is returned unchanged. The work depends
 * only on the limit, not on the size of the data or the number of large members.
 */
export function limitEventData(data: unknown): unknown {
  if (!isObject(data)) return data
  const { truncated = [], ...members } = data
  const limit = { maxBytes: maxEventBytes - markerBytes, uncounted: limitedBySettings }
  const { part } = shareBytes(members, limit, 1)
  const names = Object.keys(members).filter((name) => part[name] !== members[name])
  if (names.length === 0) return data
  const all = Array.isArray(truncated) ? [...truncated, ...names] : names
  return { ...part, truncated: [...new Set(all)] }
}

/**
 * Shortens a JSON value to `maxBytes` like the data of an event. A value within the limit is
 * returned unchanged.
 */
export function limitJson<T>(value: T, maxBytes: number): T | undefined {
  const meter = new JsonMeter(value)
  if (meter.advance(maxBytes)) return value
  return cut({ value, meter }, { maxBytes }, 1).part as T | undefined
}

/** Part of a JSON value that remains after shortening, with its size in bytes. */
interface Cut<T = unknown> {
  part: T
  bytes: number
}

/** JSON value that exceeds its limit, with the measurement that found this out. */
interface Measured {
  value: unknown
  meter: JsonMeter
}

const nothing: Cut = { part: undefined, bytes: 0 }

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Shortens a JSON value that is larger than the limit `maxBytes`. */
function cut({ value, meter }: Measured, limit: SizeLimit, depth: number): Cut {
  const { maxBytes } = limit
  if (typeof value === 'string') {
    const part = value.slice(0, fitText(value, maxBytes))
    return part === '' ? nothing : { part, bytes: maxBytes }
  }
  const { count, bytes } = meter.whole
  if (Array.isArray(value))
    return count > 0 && bytes <= maxBytes
      ? { part: value.slice(0, count), bytes }
      : firstElement(value, limit, depth)
  if (!isObject(value)) return nothing
  const { keys } = meter
  if (keys.length <= maxSharing)
    return depth < maxDepth ? shareBytes(value, limit, depth + 1) : nothing
  const part = Object.fromEntries(keys.slice(0, count).map((key) => [key, value[key]]))
  return { part, bytes }
}

/**
 * Shortens a list in event data whose first element alone is larger than the limit. The result
 * contains only the beginning of this element.
 */
function firstElement(
  list: readonly unknown[],
  { maxBytes, uncounted }: SizeLimit,
  depth: number,
): Cut {
  const rule = ruleOf(uncounted, '*')
  const [value] = list
  const meter = new JsonMeter(value, rule)
  const limit = { maxBytes: maxBytes - 3, uncounted: rule }
  if (depth >= maxDepth || meter.advance(limit.maxBytes)) return nothing
  const { part, bytes } = cut({ value, meter }, limit, depth + 1)
  return part === undefined ? nothing : { part: [part], bytes: bytes + 3 }
}

/**
 * Shortens a record of event data to a limit. Small members stay unchanged, large members get equal
 * parts of the remaining bytes. Each member is measured only up to an equal part, and further when
 * smaller members leave bytes for it.
 */
function shareBytes(
  record: Members,
  { maxBytes, uncounted }: SizeLimit,
  depth: number,
): Cut<Members> {
  const isCounted = (key: string) => uncounted?.[key] !== true
  const keys = Object.keys(record).filter((key) => isCounted(key) && record[key] !== undefined)
  let left = maxBytes - 2 - keys.reduce((sum, key) => sum + keyBytes(key), 0)
  const shareOf = (members: number) => Math.max(0, Math.floor(left / members))
  const kept = new Map<string, unknown>()
  let open = keys.map((key) => {
    const meter = new JsonMeter(record[key], ruleOf(uncounted, key))
    return { key, value: record[key], meter }
  })
  for (let before = Infinity; open.length > 0 && open.length < before;) {
    before = open.length
    const share = shareOf(before)
    const [larger, fitting] = partition(open, ({ meter }) => !meter.advance(share))
    for (const { key, value, meter } of fitting) {
      left -= meter.bytes
      kept.set(key, value)
    }
    open = larger
  }
  for (const [at, { key, value, meter }] of open.entries()) {
    const share = shareOf(open.length - at)
    const limit = { maxBytes: share, uncounted: ruleOf(uncounted, key) }
    const { part, bytes } = meter.advance(share)
      ? { part: value, bytes: meter.bytes }
      : cut({ value, meter }, limit, depth)
    left -= part === undefined ? -keyBytes(key) : bytes
    kept.set(key, part)
  }
  const part = Object.keys(record)
    .map((key) => [key, isCounted(key) ? kept.get(key) : record[key]] as const)
    .filter(([, value]) => value !== undefined)
  return { part: Object.fromEntries(part), bytes: maxBytes - left }
}

/**
 * Divides a list of event members into the elements that meet a condition and the elements that do
 * not.
 */
function partition<T>(all: readonly T[], condition: (element: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []]
  for (const element of all) (condition(element) ? yes : no).push(element)
  return [yes, no]
}
