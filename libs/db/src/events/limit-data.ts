import {
  fitText,
  keyBytes,
  measureJson,
  ruleOf,
  type SizeLimit,
  type Uncounted,
} from './json-size.ts'

/** Maximum bytes of the data of an event as JSON, without the members that settings limit. */
export const maxEventBytes = 1_048_576
/** Part of the limit that is reserved for `truncated`. */
const markerBytes = 4_096
/** Records with more members are cut at the end, like lists. */
const maxSharing = 100

/**
 * Members whose size the operator sets (`notifyTextSize`, `notifyAttachmentSize`). Their writers
 * enforce these limits.
 */
const limitedBySettings: Uncounted = {
  text: { plain: true, html: true },
  attachments: { '*': { content: true } },
}

/**
 * Data of an event within `maxEventBytes`. Cuts the largest members, so that all members above a
 * common size have that size afterwards: lists and texts at their end. Adds the names of the cut
 * members to `truncated`. Data within the limit is returned as it is. The time depends on the
 * limit, not on the data.
 */
export function limitEventData(data: unknown): unknown {
  const limit = { maxBytes: maxEventBytes, uncounted: limitedBySettings }
  if (!isObject(data) || measureJson(data, limit) <= maxEventBytes) return data
  const { truncated = [], ...members } = data
  const { part } = shareBytes(members, { ...limit, maxBytes: maxEventBytes - markerBytes })
  const names = Object.keys(members).filter((name) => part[name] !== members[name])
  const all = Array.isArray(truncated) ? [...truncated, ...names] : names
  return { ...part, truncated: [...new Set(all)] }
}

/** JSON value within `maxBytes`, cut like the data of an event. The same value if it fits. */
export function limitJson<T>(value: T, maxBytes: number): T | undefined {
  const limit = { maxBytes }
  return measureJson(value, limit) <= maxBytes ? value : (cut(value, limit).part as T | undefined)
}

type Members = Record<string, unknown>

/** Part of a value that fits, with its size. */
interface Cut<T = unknown> {
  part: T
  bytes: number
}

const nothing: Cut = { part: undefined, bytes: 0 }

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Cuts a value that is larger than the limit. */
function cut(value: unknown, limit: SizeLimit): Cut {
  const { maxBytes } = limit
  if (typeof value === 'string') {
    const part = value.slice(0, fitText(value, maxBytes).end)
    return part === '' ? nothing : { part, bytes: maxBytes }
  }
  if (Array.isArray(value)) return firstElements(value, limit)
  if (!isObject(value)) return nothing
  let count = 0
  for (const _ in value) if (++count > maxSharing) return firstMembers(value, limit)
  return shareBytes(value, limit)
}

/** Leading elements that fit, or the beginning of the first one. */
function firstElements(list: readonly unknown[], { maxBytes, uncounted }: SizeLimit): Cut {
  const rule = ruleOf(uncounted, '*')
  const part: unknown[] = []
  let bytes = 2
  for (const element of list) {
    const more = 1 + measureJson(element, { maxBytes: maxBytes - bytes, uncounted: rule })
    if (bytes + more > maxBytes) break
    bytes += more
    part.push(element)
  }
  if (part.length > 0) return { part, bytes }
  const first = cut(list[0], { maxBytes: maxBytes - 3, uncounted: rule })
  return first.part === undefined ? nothing : { part: [first.part], bytes: first.bytes + 3 }
}

/** Leading members of a record that fit. */
function firstMembers(record: Members, { maxBytes }: SizeLimit): Cut {
  const part: Members = {}
  let bytes = 2
  for (const key in record) {
    const more = keyBytes(key) + measureJson(record[key], { maxBytes: maxBytes - bytes })
    if (bytes + more > maxBytes) break
    bytes += more
    part[key] = record[key]
  }
  return { part, bytes }
}

/** Members that share the bytes: small ones stay whole, large ones get equal parts of the rest. */
function shareBytes(record: Members, { maxBytes, uncounted }: SizeLimit): Cut<Members> {
  const isCounted = (key: string) => uncounted?.[key] !== true
  const members = Object.entries(record)
    .filter(([key, value]) => isCounted(key) && value !== undefined)
    .map(([key, value]) => {
      const limit = { maxBytes, uncounted: ruleOf(uncounted, key) }
      return { key, value, limit, bytes: measureJson(value, limit) }
    })
    .sort((one, other) => one.bytes - other.bytes)
  const start = 2 + members.reduce((sum, { key }) => sum + keyBytes(key), 0)
  let left = maxBytes - start
  const kept = new Map<string, unknown>()
  for (const [at, { key, value, limit, bytes }] of members.entries()) {
    const share = Math.max(0, Math.floor(left / (members.length - at)))
    const fitting =
      bytes <= share ? { part: value, bytes } : cut(value, { ...limit, maxBytes: share })
    left -= fitting.bytes
    kept.set(key, fitting.part)
  }
  const part = Object.entries(record)
    .map(([key, value]) => [key, isCounted(key) ? kept.get(key) : value] as const)
    .filter(([, value]) => value !== undefined)
  return { part: Object.fromEntries(part), bytes: maxBytes - left }
}
