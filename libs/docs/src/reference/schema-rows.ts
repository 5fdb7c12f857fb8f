import { type ApiSchema, nameOfReference } from './api-document.ts'

/** Row of a documentation table of schema members. */
export interface MemberRow {
  /** Path of the schema member, such as `imap.auth.user` or `to[].address`. */
  path: string
  type: string
  isRequired: boolean
  description: string
}

/**
 * Number of levels of schema members that one documentation table shows. Deeper members are named
 * by their type.
 */
const maxDepth = 4

/** Rows of all members of an object schema. Nested members follow the member that has them. */
export function memberRows(schema: ApiSchema, path = '', depth = 1): MemberRow[] {
  const { properties, required } = objectPart(schema)
  const names = new Set(required)
  return Object.entries(properties).flatMap(([name, member]) => {
    const own = path === '' ? name : `${path}.${name}`
    const { schema: inner, suffix } = itemOf(member)
    return [
      {
        path: own,
        type: typeText(member),
        isRequired: names.has(name),
        description: descriptionOf(member),
      },
      ...(depth < maxDepth ? memberRows(inner, `${own}${suffix}`, depth + 1) : []),
    ]
  })
}

/** Members of a schema, including all branches of an intersection and the object in a union. */
function objectPart(schema: ApiSchema): {
  properties: Record<string, ApiSchema>
  required: string[]
} {
  const parts = [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? [])]
  const branches = parts.slice(1).map(objectPart)
  return {
    properties: Object.assign(
      {},
      ...branches.map(({ properties }) => properties),
      schema.properties,
    ) as Record<string, ApiSchema>,
    required: [
      ...(schema.required ?? []),
      ...(schema.anyOf ? [] : branches.flatMap(({ required }) => required)),
    ],
  }
}

/**
 * Schema of the items of a list in the API, at any depth of lists, with the suffix of their path.
 */
function itemOf(schema: ApiSchema): { schema: ApiSchema; suffix: string } {
  const list = [schema, ...(schema.anyOf ?? [])].find(({ items }) => items !== undefined)
  if (list?.items === undefined) return { schema, suffix: '' }
  const { schema: inner, suffix } = itemOf(list.items)
  return { schema: inner, suffix: `[]${suffix}` }
}

function descriptionOf(schema: ApiSchema): string {
  return schema.description ?? itemDescription(schema)
}

function itemDescription({ anyOf = [], items }: ApiSchema): string {
  return anyOf.find(({ description }) => description)?.description ?? items?.description ?? ''
}

/** Type of a schema's value in words, with its limits, such as `integer, 1 to 100`. */
export function typeText(schema: ApiSchema): string {
  const { $ref, anyOf, allOf, items } = schema
  if ($ref !== undefined) return referenceText(nameOfReference($ref))
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeText))].join(' or ')
  if (allOf !== undefined) return 'object'
  if (items !== undefined) return `list of ${typeText(items)}`
  return [schema.format ?? schema.type ?? 'any', limitText(schema)].filter(Boolean).join(', ')
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

function limitText({ minimum, maximum, maxLength }: ApiSchema): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (minimum !== undefined) return `from ${minimum}`
  if (maximum !== undefined) return `up to ${maximum}`
  return maxLength === undefined ? '' : `up to ${maxLength} characters`
}

/** Documentation pages that describe named schemas which no other page repeats. */
const pageOfSchema: Readonly<Record<string, string>> = {
  Problem: '[Problem](../errors.md)',
  Settings: '[settings](../settings.md)',
}

/** Link to the description of a named schema on the same documentation page. */
function referenceText(name: string): string {
  return pageOfSchema[name] ?? `[${name}](#${name.toLowerCase()}-object)`
}

/** Names of all named schemas to which schemas refer, directly or through other named schemas. */
export function namedSchemasIn(
  schemas: unknown,
  components: Readonly<Record<string, ApiSchema>>,
): string[] {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    const text = JSON.stringify(value)
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name) || name in pageOfSchema) continue
      names.add(name)
      visit(components[name])
    }
  }
  visit(schemas)
  return [...names].sort()
}
