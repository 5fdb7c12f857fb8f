/** Size limits up to which a rejected request body is validated again for all its errors. */
const maxNodes = 2_000
const maxCharacters = 100_000

/**
 * True if a rejected value is within the limits of a second validation. Stops reading at the first
 * limit.
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
      // A long array is rejected before its keys are listed: Object.keys of a long array is slow.
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
