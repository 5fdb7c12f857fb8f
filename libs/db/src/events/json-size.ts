/** Members by name whose size does not count. `*` stands for the elements of an array. */
export interface Uncounted {
  readonly [member: string]: true | Uncounted
}

/** Size limit of a JSON value. */
export interface SizeLimit {
  maxBytes: number
  /** Members that are limited elsewhere. */
  uncounted?: Uncounted | undefined
}

/**
 * Size of a value as JSON in UTF-8, at most a few bytes too large. Stops above `maxBytes`, so that
 * the time depends on the limit and not on the value.
 */
export function measureJson(value: unknown, { maxBytes, uncounted }: SizeLimit): number {
  if (typeof value === 'string') return fitText(value, maxBytes).bytes
  if (typeof value !== 'object' || value === null) return String(value).length
  let bytes = 2
  if (Array.isArray(value)) {
    const rule = ruleOf(uncounted, '*')
    for (const element of value) {
      bytes += 1 + measureJson(element, { maxBytes: maxBytes - bytes, uncounted: rule })
      if (bytes > maxBytes) break
    }
    return bytes
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    if (member === undefined || uncounted?.[key] === true) continue
    bytes += keyBytes(key)
    bytes += measureJson(member, { maxBytes: maxBytes - bytes, uncounted: ruleOf(uncounted, key) })
    if (bytes > maxBytes) break
  }
  return bytes
}

/** Rule of the members of a member. */
export function ruleOf(uncounted: Uncounted | undefined, key: string): Uncounted | undefined {
  const rule = uncounted?.[key]
  return rule === true ? undefined : rule
}

/** Size of the name of a member with its quotes, colon and comma. */
export function keyBytes(key: string): number {
  return fitText(key, Number.POSITIVE_INFINITY).bytes + 2
}

/** ASCII without characters that JSON escapes. */
const plainAscii = /^[ !#-[\]-~]*$/

/**
 * Number of leading UTF-16 units of a text that fit into `maxBytes` of JSON with the quotes.
 * `bytes` is the size of the whole text, or more than `maxBytes`.
 */
export function fitText(text: string, maxBytes: number): { end: number; bytes: number } {
  if (text.length + 2 <= maxBytes && plainAscii.test(text))
    return { end: text.length, bytes: text.length + 2 }
  let bytes = 2
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at) ?? 0
    bytes += pointBytes(point)
    if (bytes > maxBytes) return { end: at, bytes }
    at += point > 0xffff ? 2 : 1
  }
  return { end: text.length, bytes }
}

/** Control characters with a short escape: `\b`, `\t`, `\n`, `\f`, `\r`. */
const shortEscapes = new Set([8, 9, 10, 12, 13])

/** Bytes of a code point in a JSON text, as `JSON.stringify` writes it. */
function pointBytes(point: number): number {
  if (point < 0x20) return shortEscapes.has(point) ? 2 : 6
  if (point === 0x22 || point === 0x5c) return 2
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  if (point > 0xffff) return 4
  return point >= 0xd800 && point <= 0xdfff ? 6 : 3
}
