/**
 * Names of the members of JSON data that are not measured. `*` stands for all elements of an array.
 */
export interface Uncounted {
  readonly [member: string]: true | Uncounted
}

/** Size limit of a JSON value in an event. */
export interface SizeLimit {
  maxBytes: number
  /** Members of the JSON value that are not measured, because another limit applies to them. */
  uncounted?: Uncounted | undefined
}

/** JSON array, record or text whose parts are being measured. */
type Frame =
  | { kind: 'list'; list: readonly unknown[]; rule: Uncounted | undefined; next: number }
  | {
      kind: 'record'
      record: Members
      keys: readonly string[]
      rule: Uncounted | undefined
      next: number
    }
  | { kind: 'text'; text: string; next: number }

export type Members = Record<string, unknown>

/**
 * Measures the size of a value as JSON in UTF-8. The result is at most a few bytes too large. Each
 * call of `advance` continues where the previous call stopped. The total work depends only on the
 * largest limit, not on the size of the value or the number of calls.
 */
export class JsonMeter {
  /** Size in bytes of the part of the JSON value that was measured so far. */
  bytes = 0
  /**
   * Number of children of the JSON value that were measured completely, and the size of the value
   * up to the last of these children.
   */
  readonly whole = { count: 0, bytes: 0 }
  /**
   * Names of the members of the measured JSON record. The names are stored, because listing many
   * names again would take as long as measuring the record.
   */
  readonly keys: readonly string[]
  readonly #frames: Frame[] = []

  constructor(value: unknown, uncounted?: Uncounted) {
    this.#begin(value, uncounted)
    const [root] = this.#frames
    this.keys = root?.kind === 'record' ? root.keys : []
  }

  /**
   * Continues the measurement until the end of the JSON value, or until the size exceeds
   * `maxBytes`. True if the whole value has at most `maxBytes`.
   */
  advance(maxBytes: number): boolean {
    for (;;) {
      const frame = this.#frames.at(-1)
      if (this.bytes > maxBytes) return false
      if (!frame) return true
      if (this.#frames.length === 1 && frame.kind !== 'text') {
        this.whole.count = frame.next
        this.whole.bytes = this.bytes
      }
      if (this.#step(frame)) this.#frames.pop()
    }
  }

  #begin(value: unknown, rule: Uncounted | undefined): void {
    if (typeof value === 'string') {
      this.bytes += 2
      if (value.length > textChunk) this.#frames.push({ kind: 'text', text: value, next: 0 })
      else this.bytes += contentBytes(value)
    } else if (typeof value !== 'object' || value === null) this.bytes += String(value).length
    else {
      this.bytes += 2
      if (Array.isArray(value))
        this.#frames.push({ kind: 'list', list: value, rule: ruleOf(rule, '*'), next: 0 })
      else {
        const record = value as Members
        this.#frames.push({ kind: 'record', record, keys: Object.keys(record), rule, next: 0 })
      }
    }
  }

  /**
   * Measures the next child of a JSON array or record, or the next part of a text. Large children
   * are only begun. True if nothing is left to measure.
   */
  #step(frame: Frame): boolean {
    if (frame.kind === 'list') {
      if (frame.next >= frame.list.length) return true
      this.bytes += 1
      this.#begin(frame.list[frame.next++], frame.rule)
      return false
    }
    if (frame.kind === 'text') {
      if (frame.next >= frame.text.length) return true
      const end = chunkEnd(frame.text, frame.next)
      this.bytes += contentBytes(frame.text.slice(frame.next, end))
      frame.next = end
      return false
    }
    const key = frame.keys[frame.next++]
    if (key === undefined) return true
    const value = frame.record[key]
    if (value === undefined || frame.rule?.[key] === true) return false
    this.bytes += keyBytes(key)
    this.#begin(value, ruleOf(frame.rule, key))
    return false
  }
}

/**
 * Size of a value as JSON in UTF-8. If the size exceeds `maxBytes`, any number above `maxBytes`.
 */
export function measureJson(value: unknown, { maxBytes, uncounted }: SizeLimit): number {
  const meter = new JsonMeter(value, uncounted)
  meter.advance(maxBytes)
  return meter.bytes
}

/** Returns the names of unmeasured members inside the member `key` of JSON data. */
export function ruleOf(uncounted: Uncounted | undefined, key: string): Uncounted | undefined {
  const rule = uncounted?.[key]
  return rule === true ? undefined : rule
}

/** Size in bytes of the name of a JSON member with its quotes, colon and comma. */
export function keyBytes(key: string): number {
  return contentBytes(key) + 4
}

/**
 * Number of UTF-16 units of a text that are measured in one step. So many units need at most 24 KiB
 * of JSON.
 */
const textChunk = 4_096

/**
 * Number of UTF-16 units at the beginning of a text that fit into `maxBytes` of JSON, including the
 * quotes.
 */
export function fitText(text: string, maxBytes: number): number {
  let bytes = 2
  let at = 0
  while (at < text.length) {
    const end = chunkEnd(text, at)
    const more = contentBytes(text.slice(at, end))
    if (bytes + more > maxBytes) break
    bytes += more
    at = end
  }
  // Only a part of the next chunk of the text fits into `maxBytes`. The end of this part is found
  // by measuring single code points.
  while (at < text.length) {
    const point = String.fromCodePoint(text.codePointAt(at) ?? 0)
    bytes += contentBytes(point)
    if (bytes > maxBytes) break
    at += point.length
  }
  return at
}

/** End of the chunk of a text that begins at `at`. A chunk never ends inside a surrogate pair. */
function chunkEnd(text: string, at: number): number {
  const end = at + textChunk
  const unit = text.charCodeAt(end - 1)
  if (end >= text.length) return text.length
  return unit >= 0xd800 && unit <= 0xdbff ? end + 1 : end
}

/** Pattern of ASCII text in which JSON escapes no character. */
const plainAscii = /^[ !#-[\]-~]*$/

/** Size in bytes of a text as JSON, without the quotes. */
function contentBytes(text: string): number {
  return plainAscii.test(text) ? text.length : Buffer.byteLength(JSON.stringify(text)) - 2
}
