/** Headers that the setting `notifyHeaders` names; `*` names all. Undefined without names. Pure. */
export function pickHeaders(
  headers: Record<string, string[]>,
  names: readonly string[],
): Record<string, string[]> | undefined {
  if (names.length === 0) return undefined
  if (names.includes('*')) return headers
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => wanted.has(name)))
}
