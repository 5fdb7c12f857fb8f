import { plainText } from '../audit/plain-text.ts'

/** Maximum number and length of names that the audit log records. */
const maxNames = 50
const maxLength = 100
/** Maximum entries of a list whose members are named. */
const maxEntries = 100

/**
 * Lists the names of the members in a JSON body, on the first and the second level (`imap.auth`).
 * The members of objects in a list are named like the members of one object. Invalid JSON has no
 * names.
 */
export function keyNames(body: Buffer): string[] {
  const value = parse(body)
  const names = new Set<string>()
  for (const [name, member] of membersOf(value)) {
    if (names.size >= maxNames) break
    names.add(plainText(name, maxLength))
    for (const [inner] of membersOf(member)) {
      if (names.size >= maxNames) break
      names.add(plainText(`${name}.${inner}`, maxLength))
    }
  }
  return [...names]
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
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
