/**
 * Maximum size of a rejected API request body that is validated again to find all of its errors.
 */
const maxNodes = 2_000
const maxCharacters = 100_000

/**
 * True if a rejected API request body is small enough to be validated again. Stops reading the body
 * as soon as a size limit is exceeded.
 */
export function isSmall(value: unknown): boolean {
  const pending: unknown[] = [value]
  let nodes = 0
  let characters = 0
  while (pending.length > 0) {
    const next = pending.pop()
    nodes += 1
    if (typeof next === 'string') characters += next.length
    if (next !== null && typeof next === 'object') {
      // The length of an array in an API request is checked before its keys are listed, because
      // Object.keys is slow for a long array.
      if (Array.isArray(next) && nodes + pending.length + next.length > maxNodes) return false
      const names = Object.keys(next)
      if (nodes + pending.length + names.length > maxNodes) return false
      for (const name of names) characters += name.length
      pending.push(...Object.values(next))
    }
    if (nodes > maxNodes || characters > maxCharacters) return false
  }
  return true
}
