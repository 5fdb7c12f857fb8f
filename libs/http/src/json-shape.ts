import { AppError } from '@posthorn/errors'

/** Deeper than any body of ours by far. */
const maxDepth = 100
/** Lists and objects in the text at most, with their members: what a body may cost in memory beside its own size. */
const maxMembers = 500_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const open = new Set([0x5b, 0x7b]) // [ {
const closed = new Set([0x5d, 0x7d]) // ] }

/**
 * Looks at JSON text before it is parsed: 50 MB of `[` would else become twenty-five million arrays. Strings are skipped by a native
 * search, so attachments cost next to nothing.
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
    if (byte === comma || open.has(byte)) members += 1
    if (open.has(byte)) depth += 1
    else if (closed.has(byte)) depth -= 1
    if (depth > maxDepth)
      throw new AppError('invalid', `JSON is nested deeper than ${maxDepth} levels`)
    if (members > maxMembers)
      throw new AppError('invalid', `JSON has more than ${maxMembers} members`)
  }
}

/** Where the string that starts here ends: at a quote with an even number of backslashes before it. */
function endOfString(text: Buffer, start: number): number {
  let end = start
  do {
    end = text.indexOf(quote, end + 1)
    if (end === -1) return text.length // the parser says what is wrong
  } while (isEscaped(text, end))
  return end
}

function isEscaped(text: Buffer, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === backslash) slashes += 1
  return slashes % 2 === 1
}

const poisonous = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Looks through a parsed body.
 *
 * @throws AppError `invalid` when an object inside has a name that would reach a prototype when copied carelessly, or a text has what
 * no database takes: U+0000, or half a surrogate pair.
 */
export function assertContent(value: unknown): void {
  const inside: unknown[] = [value]
  while (inside.length > 0) {
    const next = inside.pop()
    if (typeof next === 'string') assertText(next)
    if (next === null || typeof next !== 'object') continue
    if (Array.isArray(next)) {
      for (const element of next) inside.push(element)
      continue
    }
    for (const [name, member] of Object.entries(next)) {
      if (poisonous.has(name)) throw new AppError('invalid', `"${name}" is not allowed as a name`)
      assertText(name)
      inside.push(member)
    }
  }
}

/** @throws AppError `invalid` */
export function assertText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw new AppError('invalid', 'Text must be Unicode without U+0000')
}
