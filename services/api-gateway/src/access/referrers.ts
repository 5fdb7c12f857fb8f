/** True if a Referer pattern with `*` wildcards matches the whole text, without backtracking. */
export function globMatches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false
  const end = text.length - last.length
  let at = first.length
  for (const part of rest) {
    const index = text.indexOf(part, at)
    if (index === -1 || index + part.length > end) return false
    at = index + part.length
  }
  return true
}
