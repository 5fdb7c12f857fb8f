import {
  fitText,
  JsonMeter,
  keyBytes,
  type Members,
  ruleOf,
  type SizeLimit,
  type Uncounted,
} from './json-size.ts'

/** Maximum bytes of the data of an event as JSON, without the members that settings limit. */
export const maxEventBytes = 1_048_576
/** Part of the size limit of event data that is reserved for the member `truncated`. */
const markerBytes = 4_096
/**
 * Maximum members of a record that are cut individually. Records with more members are cut at the
 * end, like lists.
 */
const maxSharing = 100
/**
 * Deepest level of event data at which a large value is cut. Large values below are left out. Each
 * level is measured again.
 */
const maxDepth = 6

/**
 * Members of events whose size the operator sets (`notifyTextSize`, `notifyAttachmentSize`). The
 * writers of these members enforce the limits.
 */
const limitedBySettings: Uncounted = {
  text: { plain: true, html: true },
  attachments: { '*': { content: true } },
}

/**
 * Limits the data of an event to `maxEventBytes`. Cuts the largest members, so that all members
 * above a common size have that size afterwards: lists and texts at their end. Adds the names of
 * the cut members to `truncated`. Data within the limit is returned as it is. The work depends on
 * the limit, not on the data or the number of large members.
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
 * Cuts a JSON value to `maxBytes`, like the data of an event. Returns the same value if the value
 * fits.
 */
export function limitJson<T>(value: T, maxBytes: number): T | undefined {
  const meter = new JsonMeter(value)
  if (meter.advance(maxBytes)) return value
  return cut({ value, meter }, { maxBytes }, 1).part as T | undefined
}

/** Part of a JSON value that fits into the limit, with its size. */
interface Cut<T = unknown> {
  part: T
  bytes: number
}

/** JSON value whose measurement exceeds the limit. */
interface Measured {
  value: unknown
  meter: JsonMeter
}

const nothing: Cut = { part: undefined, bytes: 0 }

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Cuts a JSON value that is larger than the limit. */
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

/** Cuts a list to the beginning of its first element, which is larger than the limit. */
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
 * Cuts a record whose members share the bytes of a limit: small members stay whole, large members
 * get equal parts of the remaining bytes. All members are measured up to an equal part only, and
 * further when smaller members have left bytes.
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

/** Divides a list into the elements for which the condition is true, and all other elements. */
function partition<T>(all: readonly T[], condition: (element: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []]
  for (const element of all) (condition(element) ? yes : no).push(element)
  return [yes, no]
}
