/**
 * Property of a type in a discovery document. Discovery documents describe APIs of Google (Gmail,
 * Pub/Sub).
 */
interface DiscoveryProperty {
  type?: string
  format?: string
  enum?: string[]
  $ref?: string
  items?: DiscoveryProperty
  additionalProperties?: DiscoveryProperty
}

/** Subset of a discovery document, which describes an API of Google, without its texts. */
export interface DiscoveryDescription {
  api: string
  schemas: Record<string, { properties: Record<string, DiscoveryProperty> }>
}

/** Subset of the CSDL metadata of Microsoft Graph, without texts. */
export interface GraphDescription {
  api: string
  types: Record<
    string,
    { baseType?: string; properties: { name: string; type: string; nullable?: boolean }[] }
  >
  enums: Record<string, string[]>
}

interface NamedType {
  name: string
  /** Name of a generated type in the description of the provider's API. */
  described: string
  base?: string | undefined
  properties: [name: string, type: string][]
}

/**
 * Generates TypeScript types from a discovery document. Every property is optional, because Google
 * marks no property as required and leaves out empty properties. 64-bit numbers are decimal
 * strings. Dates and bytes are strings.
 */
export function generateDiscoveryTypes(
  { api, schemas }: DiscoveryDescription,
  prefix: string,
): string {
  const types = Object.entries(schemas).map(([described, { properties }]) => ({
    name: nameOf(prefix, described),
    described,
    properties: Object.entries(properties).map(([name, property]): [string, string] => [
      name,
      discoveryType(property, prefix),
    ]),
  }))
  return render(
    api,
    types.map((type) => renderInterface(api, type)),
  )
}

/**
 * Generates TypeScript types of Microsoft Graph. Every property is optional, because `$select`
 * leaves properties out. A property may be null unless the metadata of Graph forbids null.
 */
export function generateGraphTypes({ api, types, enums }: GraphDescription): string {
  const interfaces = Object.entries(types).map(([described, { baseType, properties }]) =>
    renderInterface(api, {
      name: nameOf('Graph', described),
      described,
      base: baseType === undefined ? undefined : nameOf('Graph', baseType),
      properties: [
        ...(baseType === undefined ? [["'@odata.type'", 'string'] as [string, string]] : []),
        ...properties.map(({ name, type, nullable = true }): [string, string] => [
          name,
          graphType(type, nullable),
        ]),
      ],
    }),
  )
  const unions = Object.entries(enums).map(
    ([name, members]) =>
      `/** Enumeration \`${name}\`, as defined in ${api}. */\nexport type ${nameOf('Graph', name)} =${unionOf(members, '  ')}\n`,
  )
  return render(api, [...interfaces, ...unions])
}

function nameOf(prefix: string, described: string): string {
  const name = described.charAt(0).toUpperCase() + described.slice(1)
  return name.startsWith('Pubsub') ? `PubSub${name.slice(6)}` : `${prefix}${name}`
}

function discoveryType(property: DiscoveryProperty, prefix: string): string {
  const { type, enum: members, $ref, items, additionalProperties } = property
  if ($ref !== undefined) return nameOf(prefix, $ref)
  if (members) return unionOf(members, '    ').trimStart()
  if (items) return arrayOf(discoveryType(items, prefix))
  if (additionalProperties) return `Record<string, ${discoveryType(additionalProperties, prefix)}>`
  if (type === 'integer') return 'number'
  return type === 'string' || type === 'boolean' ? type : 'unknown'
}

const edmTypes: Readonly<Record<string, string>> = {
  'Edm.Boolean': 'boolean',
  'Edm.Int32': 'number',
  'Edm.Int64': 'number',
  'Edm.Double': 'number',
}

function graphType(type: string, nullable: boolean): string {
  const [, element] = /^Collection\((.+)\)$/.exec(type) ?? []
  // In Graph, neither a collection nor an element of a collection is null.
  if (element !== undefined) return arrayOf(graphType(element, false))
  const name = type.startsWith('Edm.')
    ? (edmTypes[type] ?? 'string')
    : nameOf('Graph', type.replace('microsoft.graph.', ''))
  return nullable ? `${name} | null` : name
}

function arrayOf(type: string): string {
  return type.includes('|') ? `(${type})[]` : `${type}[]`
}

const maxColumns = 70

/** Formats a TypeScript union of literals. Many literals are written on one line each. */
function unionOf(members: readonly string[], indent: string): string {
  const literals = members.map((member) => `'${member}'`)
  const line = ` ${literals.join(' | ')}`
  return line.length <= maxColumns
    ? line
    : literals.map((literal) => `\n${indent}| ${literal}`).join('')
}

function renderInterface(api: string, { name, described, base, properties }: NamedType): string {
  const lines = properties.map(([property, type]) => {
    const separator = type.startsWith('|') ? ':\n    ' : ': '
    return `  ${property}?${separator}${type}\n`
  })
  const head = `export interface ${name}${base === undefined ? '' : ` extends ${base}`}`
  const members = lines.length === 0 ? ' {}' : ` {\n${lines.join('')}}`
  return `/** Resource \`${described}\`, as defined in ${api}. */\n${head}${members}\n`
}

function render(api: string, types: readonly string[]): string {
  const head = `// Types of the ${api}. Written by \`make provider-types\`, do not edit.\n`
  return [head, ...types].join('\n')
}
