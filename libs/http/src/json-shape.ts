import { AppError } from '@posthorn/errors'

/** Maximum nesting. No request schema of the API exceeds 10 levels. */
const maxDepth = 100
/** Maximum arrays, objects and members. Bounds the memory of the parsed value. */
const maxMembers = 500_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const opening = new Set([0x5b, 0x7b]) // [ {
const closing = new Set([0x5d, 0x7d]) // ] }

/**
 * Checks nesting and number of members before JSON text is parsed: 50 MB of `[` would become 25
 * million arrays. Strings are skipped by a native search, so attachments cost almost nothing.
 *
 * @throws AppError `invalid`
 */
export function assertShape(text: Buffer): void {
  let depth = 0
  let members = 0
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0
    if (byte === quote) {
      at = endOfString(text, at)
      continue
    }
    if (byte === comma || opening.has(byte)) members += 1
    if (opening.has(byte)) depth += 1
    else if (closing.has(byte)) depth -= 1
    if (depth > maxDepth)
      throw new AppError('invalid', `JSON is nested deeper than ${maxDepth} levels`)
    if (members > maxMembers)
      throw new AppError('invalid', `JSON has more than ${maxMembers} members`)
  }
}

/** Finds the end of a string: the next quote after an even number of backslashes. */
function endOfString(text: Buffer, start: number): number {
  let end = start
  do {
    end = text.indexOf(quote, end + 1)
    if (end === -1) return text.length // JSON.parse reports the error
  } while (isEscaped(text, end))
  return end
}

function isEscaped(text: Buffer, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === backslash) slashes += 1
  return slashes % 2 === 1
}

/** Names that reach a prototype when an object is copied property by property. */
const unsafeNames = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Checks the names and texts of a parsed body.
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
    for (const [name, member] of Object.entries(next)) {
      if (unsafeNames.has(name)) throw new AppError('invalid', `"${name}" is not allowed as a name`)
      assertText(name)
      pending.push(member)
    }
  }
}

/** @throws AppError `invalid` for text with U+0000 or an unpaired surrogate */
export function assertText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw new AppError('invalid', 'Text must be Unicode without U+0000')
}
