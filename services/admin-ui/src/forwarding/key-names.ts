import { plainText } from '../audit/plain-text.ts'

/** Maximum number, and maximum length, of member names that the audit log records. */
const maxNames = 200
const maxLength = 100
/** Maximum entries of a JSON list whose member names the audit log records. */
const maxEntries = 100

/**
 * Lists the names of the members in a JSON body for the audit log, on the first and the second
 * level (`imap.auth`). The members of objects in a list are named like the members of one object.
 * Names of the first level have precedence, so that many inner members hide none of them. Invalid
 * JSON has no names.
 */
export function keyNames(body: Buffer): string[] {
  const members = membersOf(parse(body))
  const outer = new Set(members.map(([name]) => plainText(name, maxLength)))
  const names = new Set<string>()
  let left = Math.max(maxNames - outer.size, 0)
  for (const [name, member] of members) {
    names.add(plainText(name, maxLength))
    for (const [inner] of left > 0 ? membersOf(member) : []) {
      const full = plainText(`${name}.${inner}`, maxLength)
      if (left === 0 || names.has(full)) continue
      names.add(full)
      left -= 1
    }
  }
  return [...names].slice(0, maxNames)
}

function parse(body: Buffer): unknown {
  try {
    // The text decoder skips a byte order mark in the JSON body, as api-gateway does.
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

function membersOf(value: unknown): [name: string, member: unknown][] {
  if (Array.isArray(value)) return value.slice(0, maxEntries).flatMap(objectMembers)
  return objectMembers(value)
}

function objectMembers(value: unknown): [name: string, member: unknown][] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? Object.entries(value) : []
}
