/** Members of a schema or OpenAPI object whose values are texts for human readers. */
const proseKeys = new Set(['title', 'summary', 'description', 'responseDescription'])
/**
 * Members of a schema whose values are maps with freely chosen keys. A key may be `summary`, for
 * example, without being prose.
 */
const nameMaps = new Set(['properties', 'patternProperties', 'headers', 'responses', 'content'])
/**
 * Keywords of JSON Schema and OpenAPI whose values are data, not schemas. The contract baseline
 * contains the data unchanged.
 */
const verbatim = new Set(['const', 'default', 'enum', 'value', 'required'])

/**
 * Copies a contract without its prose: titles, summaries and descriptions. The names of OpenAPI
 * examples are summaries, too, so only the values of examples are copied. Keys are sorted, so that
 * the order of members in the code has no effect.
 */
export function stripProse(contract: unknown): unknown {
  if (Array.isArray(contract)) return contract.map(stripProse)
  if (contract === null || typeof contract !== 'object') return contract
  const members = Object.entries<unknown>({ ...contract })
  return Object.fromEntries(
    members
      .filter(([key]) => !proseKeys.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, stripMember(key, value)]),
  )
}

function stripMember(key: string, value: unknown): unknown {
  if (verbatim.has(key)) return value
  if (key === 'examples' && !Array.isArray(value))
    return Object.values(value as object).map(stripProse)
  return nameMaps.has(key) && !isObjectSchema(value) ? stripValues(value) : stripProse(value)
}

/**
 * True if the value `headers` is the schema of all headers of an operation. False if it is a map of
 * headers by name.
 */
function isObjectSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
}

function stripValues(map: unknown): unknown {
  if (map === null || typeof map !== 'object' || Array.isArray(map)) return stripProse(map)
  return Object.fromEntries(
    Object.entries<unknown>({ ...map }).map(([name, value]) => [name, stripProse(value)]),
  )
}
