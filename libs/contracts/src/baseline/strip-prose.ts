/** Members of a schema or of an OpenAPI object that hold text for people. */
const proseKeys = new Set(['title', 'summary', 'description'])
/**
 * Members of a schema whose keys are names chosen by the contract, such as a property called
 * `summary`.
 */
const nameMaps = new Set(['properties', 'patternProperties', 'headers', 'responses', 'content'])
/** Members of a schema that hold data, which may have any key. */
const verbatim = new Set(['const', 'default', 'enum', 'value', 'required'])

/**
 * Copy of a contract without its prose: titles, summaries and descriptions. OpenAPI examples are
 * named after their summaries, so only their values remain. Keys are
 * sorted, so that the order of members in the code does not matter.
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

/** True for the schema of all headers of an operation, as opposed to a map of headers by name. */
function isObjectSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
}

function stripValues(map: unknown): unknown {
  if (map === null || typeof map !== 'object' || Array.isArray(map)) return stripProse(map)
  return Object.fromEntries(
    Object.entries<unknown>({ ...map }).map(([name, value]) => [name, stripProse(value)]),
  )
}
