import { fieldError } from '@posthorn/contracts/describe-error'
import { validationError } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import { pathAt } from './json-path.ts'

/** Maximum nesting of a JSON body. No request schema of the API exceeds 10 levels. */
const maxDepth = 100
/**
 * Maximum number of members of one JSON object. Larger objects become hash tables in V8, which take
 * ten times as long. The largest legitimate objects are the values for a template and 1,000
 * headers.
 */
const maxMembersOfObject = 1_000
/**
 * Maximum number of bytes in a JSON body that belong to numbers and white space. Such bytes are
 * read one by one. The maximum is 80 bytes for each value.
 */
const maxOtherBytes = 4 * 1024 * 1024
/**
 * Number of characters of a JSON text value that are read one by one. After these characters, the
 * native search looks for the end of the text.
 */
const shortText = 64

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b

/** Kind of each byte value, for the bytes of JSON outside of text values. */
const kinds = new Uint8Array(256)
const kind = { other: 0, comma: 1, open: 2, close: 3, quote: 4 } as const
kinds[0x2c] = kind.comma
for (const bracket of '[{') kinds[bracket.charCodeAt(0)] = kind.open
for (const bracket of ']}') kinds[bracket.charCodeAt(0)] = kind.close
kinds[quote] = kind.quote

/**
 * Checks the nesting and the number of values in JSON text before it is parsed: 50 MB of `[` would
 * become 25 million arrays. Takes linear time. Texts are skipped by a native search, so attachments
 * cost almost nothing. Syntax errors are not detected here, but by the parser.
 *
 * @throws AppError `invalid` if there are more than `maxValues` members and elements (an array or
 * object counts twice), or if another limit for the shape of JSON is exceeded. `fields` names an
 * object with too many members.
 */
export function assertShape(text: Buffer, maxValues: number): void {
  const shape = new Shape(maxValues)
  let otherBytes = 0
  for (let at = 0; at < text.length; at += 1) {
    const byteKind = kinds[text[at] as number]
    if (byteKind === kind.other) otherBytes += 1
    else if (byteKind === kind.quote) at = endOfText(text, at)
    else if (byteKind === kind.comma) shape.addValue(text, at)
    else if (byteKind === kind.open) shape.open(text[at] === openBrace)
    else shape.close()
    if (otherBytes > maxOtherBytes) throw new AppError('invalid', tooSparse)
  }
}

const tooSparse = 'JSON has too much white space between its texts, or too long numbers'

/**
 * Counter for the values of a JSON body, and for the arrays and objects that are open at the
 * current position.
 */
class Shape {
  readonly #maxValues: number
  readonly #members = new Uint32Array(maxDepth + 1)
  readonly #isObject = new Uint8Array(maxDepth + 1)
  #depth = 0
  #values = 0

  constructor(maxValues: number) {
    this.#maxValues = maxValues
  }

  open(isObject: boolean): void {
    this.#count()
    this.#depth += 1
    if (this.#depth > maxDepth)
      throw new AppError('invalid', `JSON is nested deeper than ${maxDepth} levels`)
    this.#members[this.#depth] = 1
    this.#isObject[this.#depth] = isObject ? 1 : 0
  }

  close(): void {
    if (this.#depth > 0) this.#depth -= 1
  }

  /**
   * Counts a JSON value in the innermost open array or object. `at` is the position of the comma
   * before the value.
   */
  addValue(text: Buffer, at: number): void {
    this.#count()
    const members = (this.#members[this.#depth] as number) + 1
    this.#members[this.#depth] = members
    if (members > maxMembersOfObject && this.#isObject[this.#depth] === 1)
      throw tooManyMembers(pathAt(text, at, endOfText))
  }

  #count(): void {
    this.#values += 1
    if (this.#values > this.#maxValues)
      throw new AppError('invalid', `JSON has more than ${this.#maxValues} values`)
  }
}

function tooManyMembers(path: string): AppError {
  const reason = `must not have more than ${maxMembersOfObject} members`
  return path === ''
    ? new AppError('invalid', `An object has more than ${maxMembersOfObject} members`)
    : validationError([fieldError(path, reason)])
}

/** Finds the end of a JSON text value: the position of the next quote that is not escaped. */
function endOfText(text: Buffer, start: number): number {
  let at = start + 1
  for (;;) {
    // The first bytes of a JSON text value are read one by one: a call of the native search takes
    // as long as reading 64 bytes, and escaped quotes may follow each other closely.
    for (const stop = Math.min(text.length, at + shortText); at < stop; at += 1) {
      if (text[at] === quote) return at
      if (text[at] === backslash) at += 1
    }
    const end = text.indexOf(quote, at)
    if (end === -1) return text.length // The parser JSON.parse reports the missing quote.
    if (!isEscaped(text, end)) return end
    at = end + 1
  }
}

function isEscaped(text: Buffer, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === backslash) slashes += 1
  return slashes % 2 === 1
}

/**
 * Names of JSON members through which a prototype could be changed when an object is copied member
 * by member.
 */
const unsafeNames = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Checks the member names and texts of a parsed JSON body.
 *
 * @throws AppError `invalid` for a name such as `__proto__`, and for text that Postgres rejects:
 * U+0000 or an unpaired surrogate
 */
export function assertContent(value: unknown): void {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next === 'string') assertText(next)
    if (next === null || typeof next !== 'object') continue
    if (Array.isArray(next)) {
      for (const element of next) pending.push(element)
      continue
    }
    for (const name of Object.keys(next)) {
      if (unsafeNames.has(name)) throw new AppError('invalid', `"${name}" is not allowed as a name`)
      assertText(name)
      pending.push((next as Record<string, unknown>)[name])
    }
  }
}

/**
 * Checks that Postgres can store a text. @throws AppError `invalid` for text with U+0000 or an
 * unpaired surrogate
 */
export function assertText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw new AppError('invalid', 'Text must be Unicode without U+0000')
}
