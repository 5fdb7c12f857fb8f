/** Whether a pattern, where `*` alone is special and stands for any text, matches the whole of a text. Linear: no backtracking. */
export function globMatches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false
  const end = text.length - last.length
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/**
 * Whether everything `inner` matches is matched by `outer` too. A `*` of `inner` read as a letter can be matched only by a `*` of
 * `outer`, which then matches whatever it may stand for.
 */
export function globCovers(outer: string, inner: string): boolean {
  return globMatches(outer, inner)
}
