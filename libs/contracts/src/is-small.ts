/** How much of a value is worth looking at twice: enough for any honest mistake. */
const maxNodes = 2_000
const maxCharacters = 100_000

/** Whether a value has few parts and little text, found out without walking through more of it than that. */
export function isSmall(value: unknown): boolean {
  const open: unknown[] = [value]
  let nodes = 0
  let characters = 0
  while (open.length > 0) {
    const next = open.pop()
    nodes += 1
    if (typeof next === 'string') characters += next.length
    if (next !== null && typeof next === 'object') {
      // Naming the items of a long list would take longer than anything else here.
      if (Array.isArray(next) && nodes + open.length + next.length > maxNodes) return false
      const names = Object.keys(next)
      if (nodes + open.length + names.length > maxNodes) return false
      for (const name of names) characters += name.length
      open.push(...Object.values(next))
    }
    if (nodes > maxNodes || characters > maxCharacters) return false
  }
  return true
}
